import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ListOptions, listDocuments } from "./list-documents.ts";

let home = "";
let root = "";

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "documents-")));
  root = join(home, "knowledge");
  await put(
    "b.md",
    "b/deep/c.txt",
    "a.pdf",
    "README",
    ".hidden.md",
    ".git/config",
    "node_modules/x/readme.md",
    "cat.png",
  );
});

afterEach(() => rm(home, { recursive: true }));

async function put(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), "text");
  }
}

const paths = async (options?: ListOptions) => (await listDocuments(root, options)).documents.map(({ path }) => path);

describe("listDocuments", () => {
  it("lists readable files by sorted paths below the directory, with size and time", async () => {
    const { documents, skipped } = await listDocuments(root);
    expect(documents.map(({ path }) => path)).toEqual(["README", "a.pdf", "b.md", "b/deep/c.txt"]);
    expect(documents[3]).toMatchObject({
      absolutePath: join(root, "b/deep/c.txt"),
      sizeBytes: 4,
      modifiedAtMs: expect.any(Number),
    });
    expect(skipped).toEqual([{ path: "cat.png", reason: "is of a kind that cannot be read (.png)" }]);
  });

  it("lists what is included and not excluded", async () => {
    expect(await paths({ include: ["**/*.txt", "*.png"] })).toEqual(["b/deep/c.txt", "cat.png"]);
    expect(await paths({ exclude: ["b/**", "README"] })).toEqual(["a.pdf", "b.md"]);
    expect(await paths({ exclude: ["b"] })).toEqual(["README", "a.pdf", "b.md"]);
  });

  it("follows links within the directory, lists nothing twice and refuses links that lead out", async () => {
    await writeFile(join(home, "secret.md"), "secret");
    await symlink(join(home, "secret.md"), join(root, "out.md"));
    await symlink(home, join(root, "up"));
    await symlink(root, join(root, "loop"));
    await symlink(join(root, "b.md"), join(root, "again.md"));
    await symlink(join(root, ".hidden.md"), join(root, "shown.md"));
    await symlink(join(root, "nowhere"), join(root, "gone.md"));
    const { documents, skipped } = await listDocuments(root, { exclude: ["*.png"] });
    expect(documents.map(({ path }) => path)).toEqual(["README", "a.pdf", "b.md", "b/deep/c.txt"]);
    expect(skipped).toEqual([
      { path: "gone.md", reason: "is a link that leads nowhere" },
      { path: "out.md", reason: "is a link that leads out of the directory" },
      { path: "up", reason: "is a link that leads out of the directory" },
    ]);
  });

  it("lists a linked directory under the link when it is not listed by its own name", async () => {
    await put("old.v1/d.md");
    await symlink(join(root, "old.v1"), join(root, "old"));
    expect(await paths({ exclude: ["old.v1", "b/**"] })).toEqual(["README", "a.pdf", "b.md", "old/d.md"]);
  });

  it("skips a document above the limit by name and refuses too many of them", async () => {
    await writeFile(join(root, "big.txt"), "x".repeat(101));
    const { skipped } = await listDocuments(root, { limits: { sizeBytes: 100 } });
    expect(skipped[0]).toEqual({ path: "big.txt", reason: "is 101 bytes long and the limit is 100 bytes (sizeBytes)" });
    await expect(listDocuments(root, { limits: { documents: 2 } })).rejects.toMatchObject({
      problem: "too-many-documents",
      message: expect.stringMatching(
        /knowledge" holds more than 2 documents \(documents\): exclude some, or raise the limit$/u,
      ),
    });
    await expect(listDocuments(root, { limits: { totalBytes: 9 } })).rejects.toMatchObject({
      problem: "too-large",
      message: expect.stringMatching(/more than 9 bytes together/u),
    });
  });

  it("refuses what is not a directory, and is called off by a signal", async () => {
    await expect(listDocuments(join(root, "none"))).rejects.toMatchObject({
      problem: "not-found",
      message: expect.stringMatching(/none" does not exist/u),
    });
    await expect(listDocuments(join(root, "b.md"))).rejects.toMatchObject({
      problem: "not-found",
      message: expect.stringMatching(/is not a directory/u),
    });
    await expect(listDocuments(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({ problem: "aborted" });
  });
});
