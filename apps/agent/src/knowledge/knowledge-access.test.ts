import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createAttachmentAccess } from "./attachment-access.ts";
import { createKnowledgeAccess } from "./knowledge-access.ts";
import { resolveSources, toSource } from "./resolve-sources.ts";

const directories: string[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function place(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-knowledge-"));
  directories.push(directory);
  return directory;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on TCP always has an address of this shape.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { signal } = new AbortController();
const access = createKnowledgeAccess({ allowPrivate: true });

describe("files", () => {
  it("are read and cut into fragments with their places", async () => {
    const path = join(place(), "guide.md");
    writeFileSync(path, "# Guide\n\n## Holidays\n\nThirty days a year.\n");
    const read = await access.readFile(path, signal);
    expect(read).toMatchObject({ mediaType: "text/markdown", title: "Guide", warnings: [] });
    expect(read.fragments).toEqual([
      {
        text: expect.stringContaining("Thirty days a year."),
        place: { headings: ["Guide"], lines: { from: 1, to: 5 } },
      },
    ]);
    expect((await access.readFile(path, signal)).hash).toBe(read.hash);
  });

  it("that cannot be read are refused by name: damaged, huge, gone", async () => {
    const directory = place();
    writeFileSync(join(directory, "broken.pdf"), "%PDF-1.4\nnothing of it is true");
    writeFileSync(join(directory, "huge.txt"), "x");
    truncateSync(join(directory, "huge.txt"), 1_000_000_000);
    const read = (name: string): Promise<unknown> => access.readFile(join(directory, name), signal);
    await expect(read("broken.pdf")).rejects.toMatchObject({ message: expect.stringContaining('"broken.pdf"') });
    await expect(read("huge.txt")).rejects.toMatchObject({
      code: "exhausted",
      message: expect.stringMatching(/1 GB.*20 MB/u),
    });
    await expect(read("gone.md")).rejects.toMatchObject({ code: "not_found" });
    expect(await access.stamp(join(directory, "gone.md"))).toBeNull();
    expect(await access.stamp(directory)).toBeNull();
  });

  it("of a directory are listed, and what is passed over is told", async () => {
    const directory = place();
    mkdirSync(join(directory, "more"));
    writeFileSync(join(directory, "more", "a.md"), "apples");
    writeFileSync(join(directory, "tool.exe"), "x");
    symlinkSync("/etc", join(directory, "out"));
    const { files, skipped } = await access.list(directory, signal);
    expect(files).toMatchObject([{ path: "more/a.md", sizeBytes: 6, modifiedAtMs: expect.any(Number) }]);
    expect(skipped.map(({ path }) => path)).toEqual(["out", "tool.exe"]);
  });
});

describe("pages", () => {
  it("are read once, and asked for with what is known of them", async () => {
    const origin = await serve((request, response) => {
      const isKnown = request.headers["if-none-match"] === '"1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"1"', "content-type": "text/html" });
      response.end(isKnown ? "" : "<h1>Guide</h1><p>Thirty days.</p>");
    });
    const page = await access.readPage(`${origin}/guide`, {}, signal);
    expect(page).toMatchObject({ type: "read", etag: '"1"', knowledge: { mediaType: "text/html" } });
    expect(await access.readPage(`${origin}/guide`, { etag: '"1"' }, signal)).toMatchObject({ type: "unchanged" });
  });

  it("at private addresses are not asked for, and the refusal says how to allow them", async () => {
    const origin = await serve((_, response) => void response.end("secret"));
    await expect(createKnowledgeAccess().readPage(origin, {}, signal)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(
        /leads to a private or local address: set TROUPE_ALLOW_PRIVATE_URLS=true if you trust/u,
      ),
    });
    const fetching = createAttachmentAccess().fetch(origin, { maxSizeBytes: 100, signal });
    await expect(fetching).rejects.toMatchObject({ problem: "refused" });
  });
});

describe("attachments", () => {
  it("are fetched within the limit of size, and read whole", async () => {
    const origin = await serve((_, response) => void response.end("name,age\nJo,7\nKim,8\n"));
    const attachments = createAttachmentAccess({ allowPrivate: true });
    const file = await attachments.fetch(`${origin}/ages.csv`, { maxSizeBytes: 100, signal });
    const { text } = await attachments.readDocument({ ...file, name: "ages.csv", signal });
    expect(text).toContain("Kim");
    const small = attachments.fetch(`${origin}/ages.csv`, { maxSizeBytes: 5, signal });
    await expect(small).rejects.toMatchObject({ code: "exhausted" });
  });
});

describe("sources", () => {
  it("are written relative to the character's file; a path may be a directory", () => {
    const directory = place();
    mkdirSync(join(directory, "docs"));
    const path = join(directory, "kim.character.json");
    expect(
      resolveSources(
        [
          { kind: "file", path: "docs", shared: true },
          { kind: "file", path: "a.md", shared: false },
        ],
        path,
      ),
    ).toEqual([
      { kind: "directory", directory: join(directory, "docs"), shared: true },
      { kind: "file", path: join(directory, "a.md"), shared: false },
    ]);
  });

  it("that somebody writes are addresses, files or directories, and have to be there", () => {
    const workingPath = place();
    writeFileSync(join(workingPath, "a.md"), "a");
    const read = (written: string) => toSource(written, { workingPath, shared: false });
    expect(read("https://Example.org")).toEqual({ kind: "url", url: "https://example.org/", shared: false });
    expect(read("a.md")).toEqual({ kind: "file", path: join(workingPath, "a.md"), shared: false });
    expect(read(".")).toEqual({ kind: "directory", directory: workingPath, shared: false });
    expect(() => read("b.md")).toThrow(/There is no file or directory .*b\.md/u);
    expect(() => read("http://")).toThrow(/no address/u);
  });
});
