import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Guarantee } from "../client/client.ts";
import { type ClientHarness, clientContract, type SendFailure } from "./client-contract.ts";
import { createDelivery } from "./create-delivery.ts";
import { createFileClient, type FileClientOptions, readFileClient } from "./file-client.ts";
import { onMessages } from "./on-messages.ts";

const failures: readonly SendFailure[] = ["not-sent", "unknown", "rejected"];

function open(guarantee: Guarantee): ClientHarness {
  const folder = mkdtempSync(join(tmpdir(), "file-client-"));
  const path = join(folder, "platform.jsonl");
  const client = createFileClient({ path, agentId: "agent", guarantee, retryMs: 1, edits: { intervalMs: 0 } });
  let said = 0;
  return {
    client,
    target: "lobby",
    say: (text) => {
      said += 1;
      client.offer({ text, eventId: `said-${said}` });
    },
    acknowledged: () => readFileClient(path).acknowledged.length,
    shown: () => readFileClient(path).shown.map((shown) => shown.text),
    failNext: (type) => client.failNext(type === "unknown" ? { type, isApplied: true } : { type }),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

for (const guarantee of ["nonce", "lookup", "none"] as const) {
  clientContract(`the file client with guarantee ${guarantee}`, () => open(guarantee), {
    guarantee,
    edits: true,
    acknowledged: true,
    failures,
  });
}

describe("the file client", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "file-client-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const create = (options: Partial<FileClientOptions> = {}) =>
    createFileClient({ path: join(folder, "platform.jsonl"), agentId: "agent", retryMs: 1, ...options });
  const inputs = ["a", "b", "c"].map((eventId) => ({ eventId, text: `say ${eventId}` }));
  const { signal } = new AbortController();

  it("offers again, after a restart, what was not acknowledged", async () => {
    const first = new AbortController();
    const seen: string[] = [];
    const hang = onMessages((inbound) => {
      seen.push(inbound.eventId);
      return inbound.eventId === "b" ? new Promise(() => undefined) : undefined;
    });
    await create({ inputs }).start(hang, first.signal);
    await vi.waitFor(() => expect(seen).toEqual(["a", "b"]));
    first.abort();
    const second = new AbortController();
    await create({ inputs }).start(
      onMessages((inbound) => seen.push(inbound.eventId)),
      second.signal,
    );
    await vi.waitFor(() => expect(seen).toEqual(["a", "b", "b", "c"]));
    second.abort();
  });

  it("offers an input until it is received, then the next", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const client = create({ inputs });
    const refuse = onMessages((inbound) => {
      seen.push(inbound.eventId);
      if (seen.length < 3) throw new Error("not now");
    });
    await client.start(refuse, controller.signal);
    await vi.waitFor(() => expect(client.acknowledged()).toEqual(["a", "b", "c"]));
    expect(seen).toEqual(["a", "a", "a", "b", "c"]);
    controller.abort();
  });

  it("knows over restarts what it sent, by nonce and by looking", async () => {
    const delivery = createDelivery(create(), "lobby", "hello");
    await create({ guarantee: "nonce" }).send(delivery, signal);
    await create({ guarantee: "nonce" }).send(delivery, signal);
    expect(readFileClient(join(folder, "platform.jsonl"))).toMatchObject({ repeats: 1, shown: [{ text: "hello" }] });
    expect(await create({ guarantee: "lookup" }).lookup?.(delivery)).toEqual({ platformId: "file-1" });
  });

  it("reads past a line that a crash cut short", async () => {
    const path = join(folder, "platform.jsonl");
    appendFileSync(path, '{"type":"show","platf');
    const client = create();
    await client.send(createDelivery(client, "lobby", "after"), signal);
    expect(readFileClient(path).shown.map((shown) => shown.text)).toEqual(["after"]);
  });

  it("leaves the send in its file when the process is killed right after it", () => {
    const script = `
      import { createFileClient } from ${JSON.stringify(new URL("./file-client.ts", import.meta.url).href)};
      const client = createFileClient({ path: process.argv[1], agentId: "agent",
        onSend: (point) => { if (point === process.argv[2]) process.kill(process.pid, "SIGKILL"); } });
      await client.send({ key: "k", nonce: "n", target: "lobby", kind: "message", content: { text: "hi" } }, new AbortController().signal);
    `;
    const run = (point: string): readonly string[] => {
      const path = join(folder, `${point}.jsonl`);
      const child = spawnSync(process.execPath, ["--input-type=module", "-e", script, path, point]);
      expect(child.signal).toBe("SIGKILL");
      return readFileClient(path).shown.map((shown) => shown.text);
    };
    expect(run("before")).toEqual([]);
    expect(run("after")).toEqual(["hi"]);
    expect(readFileSync(join(folder, "after.jsonl"), "utf8")).toMatch(/\n$/);
  });
});
