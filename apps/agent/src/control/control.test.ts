import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, TroupeError } from "@troupe/core";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { askAgent } from "./ask-agent.ts";
import { type ControlHandlers, type ControlServer, createControlServer } from "./control-server.ts";
import { createLineReader } from "./line-reader.ts";
import { lineLimitBytes } from "./protocol.ts";
import { claimAddress, findAddress } from "./socket-address.ts";

const directories: string[] = [];
const servers: ControlServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const handlers: ControlHandlers = {
  ping: () => ({ pid: 7, since: 1_000, characters: [{ agentId: "a", name: "Ada" }] }),
  "deliveries.resolve": ({ key, as }) => {
    if (key === "unknown") throw new TroupeError("not_found", "There is no delivery unknown.");
    if (key === "defect") throw new Error("boom");
    return { key, state: as === "drop" ? "failed" : "sent" };
  },
  "knowledge.add": () => ({ isNew: true, isReading: true }),
  "knowledge.remove": () => ({ isForgotten: true }),
  "tasks.put": ({ draft: { id } }) => ({ id, state: "active" }),
  "tasks.set": ({ id }) => ({ id, state: "paused" }),
};

function newHome(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-control-"));
  directories.push(directory);
  return directory;
}

async function serveAt(path: string, given: ControlHandlers = handlers): Promise<ControlServer> {
  const server = await createControlServer({ path, handlers: given, log: silentLog });
  servers.push(server);
  return server;
}

/** Sends raw text and returns the lines that come back until the other side hangs up or `count` have come. */
async function exchangeRaw(address: string, text: string | Buffer, count = 1): Promise<readonly unknown[]> {
  const socket = connect({ path: address });
  socket.on("error", () => undefined);
  const lines: unknown[] = [];
  const reader = createLineReader(lineLimitBytes);
  socket.write(text);
  await new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      for (const line of reader.push(chunk) ?? []) lines.push(JSON.parse(line));
      if (lines.length >= count) socket.destroy();
    });
  });
  return lines;
}

describe("the control socket", () => {
  it("answers a ping and carries a verdict", async () => {
    const path = join(newHome(), "agent.sock");
    await serveAt(path);
    expect(await askAgent(path, { type: "ping" })).toEqual({
      type: "answered",
      answer: { pid: 7, since: 1_000, characters: [{ agentId: "a", name: "Ada" }] },
    });
    const asked = askAgent(path, { type: "deliveries.resolve", agentId: "a", key: "k", as: "drop" });
    expect(await asked).toEqual({ type: "answered", answer: { key: "k", state: "failed" } });
  });

  it("is its owner's alone", async () => {
    const path = join(newHome(), "agent.sock");
    await serveAt(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("says that no agent is running when there is none, or only its socket is left", async () => {
    const path = join(newHome(), "agent.sock");
    expect(await askAgent(path, { type: "ping" })).toEqual({ type: "not-running" });
    writeFileSync(path, "");
    expect(await askAgent(path, { type: "ping" })).toEqual({ type: "not-running" });
  });

  it("passes on why the agent refused", async () => {
    const path = join(newHome(), "agent.sock");
    await serveAt(path);
    const ask = (key: string): Promise<unknown> =>
      askAgent(path, { type: "deliveries.resolve", agentId: "a", key, as: "sent" });
    await expect(ask("unknown")).rejects.toMatchObject({ code: "not_found", message: "There is no delivery unknown." });
    await expect(ask("defect")).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("boom") });
  });

  it("gives up on an agent that does not answer in time", async () => {
    const path = join(newHome(), "agent.sock");
    await serveAt(path, { ...handlers, ping: () => new Promise(() => undefined) });
    await expect(askAgent(path, { type: "ping" }, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("tells a waiting command when the agent stops", async () => {
    const path = join(newHome(), "agent.sock");
    const server = await serveAt(path, {
      ...handlers,
      ping: () => {
        void server.close();
        return new Promise(() => undefined);
      },
    });
    await expect(askAgent(path, { type: "ping" })).rejects.toMatchObject({ code: "unavailable" });
  });

  it.each([
    ["no JSON", "hello\n", "one JSON object"],
    ["another version", '{"version":2,"type":"ping"}\n', "version 1"],
    ["an unknown request", '{"version":1,"type":"fly"}\n', "there are: ping, deliveries.resolve"],
    ["a missing field", '{"version":1,"type":"deliveries.resolve","agentId":"a"}\n', "key"],
    ["an endless line", Buffer.alloc(lineLimitBytes + 1, "x"), "at most"],
  ])("refuses %s in words", async (_, text, words) => {
    const server = await serveAt(join(newHome(), "agent.sock"));
    expect(await exchangeRaw(server.address, text)).toEqual([
      { version: 1, ok: false, error: { code: "invalid", message: expect.stringContaining(words) } },
    ]);
  });

  it("answers several requests of one connection in their order", async () => {
    const server = await serveAt(join(newHome(), "agent.sock"));
    const lines = ["one", "two", "three"].map((key) =>
      JSON.stringify({ version: 1, type: "deliveries.resolve", agentId: "a", key, as: "sent" }),
    );
    const replies = await exchangeRaw(server.address, `${lines.join("\n")}\n`, 3);
    expect(replies).toMatchObject(["one", "two", "three"].map((key) => ({ ok: true, result: { key } })));
  });

  it("takes the place of a socket whose process was killed", async () => {
    const path = join(newHome(), "agent.sock");
    const listen = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
    const child = spawn(process.execPath, ["-e", listen], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    expect(existsSync(path)).toBe(true);
    await serveAt(path);
    expect(await askAgent(path, { type: "ping" })).toMatchObject({ type: "answered" });
  });

  it("refuses the place of a process that listens", async () => {
    const path = join(newHome(), "agent.sock");
    await serveAt(path);
    await expect(serveAt(path)).rejects.toMatchObject({ code: "conflict" });
    expect(await askAgent(path, { type: "ping" })).toMatchObject({ type: "answered" });
  });

  it("works in a home whose path is too long for a socket, and leaves nothing behind", async () => {
    const home = join(newHome(), "long".repeat(30));
    mkdirSync(home);
    const path = join(home, "agent.sock");
    const server = await serveAt(path);
    expect(Buffer.byteLength(server.address)).toBeLessThanOrEqual(103);
    expect(await askAgent(path, { type: "ping" })).toMatchObject({ type: "answered" });
    await server.close();
    expect([existsSync(server.address), readdirSync(home)]).toEqual([false, []]);
    expect(await askAgent(path, { type: "ping" })).toEqual({ type: "not-running" });
  });

  it("makes no socket in somebody else's directory", () => {
    const temporary = newHome();
    writeFileSync(join(temporary, `troupe-${process.getuid?.() ?? "user"}`), "");
    const path = join(temporary, "long".repeat(30), "agent.sock");
    expect(() => claimAddress(path, temporary)).toThrow();
    expect(findAddress(path)).toBeNull();
  });
});

describe("reading lines", () => {
  it("gives the same lines however the bytes are cut", () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(60)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const reader = createLineReader(1_000_000);
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const read = edges.slice(1).flatMap((edge, n) => reader.push(bytes.subarray(edges[n], edge)) ?? []);
        expect(read).toEqual(lines);
      }),
    );
  });

  it("refuses a line beyond its limit, in one piece or many", () => {
    expect(createLineReader(3).push(Buffer.from("abcd\n"))).toBeNull();
    const reader = createLineReader(3);
    expect([reader.push(Buffer.from("ab")), reader.push(Buffer.from("cd"))]).toEqual([[], null]);
  });
});
