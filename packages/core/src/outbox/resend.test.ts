import { describe, expect, it } from "vitest";
import type { TroupeError } from "../errors.ts";
import { silentLog } from "../log.ts";
import { messageMemoryId } from "../memory/message-id.ts";
import type { Store } from "../store/store.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedClientOptions } from "../testing/scripted-client.ts";
import { createSetClock, type SetClock } from "../testing/set-clock.ts";
import type { Delivery, DeliveryState } from "./delivery.ts";
import { type ResendParts, resendDelivery, resendWaiting, settleDelivery } from "./resend.ts";

const agentId = "agent";
const key = "run-1/1.text/0";
type Setting = Partial<ScriptedClientOptions> & {
  readonly state?: DeliveryState;
  readonly isRunOpen?: boolean;
  readonly text?: string;
};
type Stage = {
  readonly store: Store;
  readonly client: ScriptedClient;
  readonly clock: SetClock;
  readonly parts: ResendParts;
};

/** A store with one delivery, and the run it came from. */
async function staged({
  state = "uncertain",
  isRunOpen = false,
  text = "Hello",
  ...options
}: Setting = {}): Promise<Stage> {
  const clock = createSetClock();
  const store = createMemoryStore({ clock });
  const client = createScriptedClient({ agentId, ...options });
  const heard = createInbound({ agentId, platform: "scripted", account: "scripted" }, { text: "hi", eventId: "1" });
  const accepted = await store.inbox.accept(agentId, heard, { at: clock.now(), owner: "test" });
  if (accepted.type !== "accepted" || !accepted.lease) throw new Error("no lease was given");
  const { fence } = accepted.lease;
  const delivery: Delivery = {
    key,
    agentId,
    runId: "run-1",
    roomId: heard.room.id,
    platform: "scripted",
    account: "scripted",
    target: "lobby",
    kind: "message",
    content: { text, source: "scripted" },
    nonce: "nonce",
  };
  const at = clock.now();
  await store.journal.append(fence, {
    entries: [{ seq: 1, runId: "run-1", at, body: { type: "input", inputs: [{ seq: 1, memoryId: heard.memory.id }] } }],
    writes: [{ type: "delivery.put", delivery, state, isOpen: false }],
  });
  if (!isRunOpen) {
    await store.journal.append(fence, {
      entries: [{ seq: 2, runId: "run-1", at, body: { type: "end", outcome: "uncertain" } }],
      writes: [],
      done: { runId: "run-1", seqs: [1], outcome: "uncertain" },
    });
  }
  const parts: ResendParts = {
    store,
    clientFor: (platform) => (platform === client.platform ? client : null),
    clock,
    random: () => 0.5,
    log: silentLog,
    maxAgeMs: 60_000,
    signal: new AbortController().signal,
  };
  return { store, client, clock, parts };
}

const texts = (client: ScriptedClient): readonly string[] => client.shown().map(({ text }) => text);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: TroupeError) => error.code,
  );

describe("sending a delivery again", () => {
  it("sends what is uncertain and remembers what was said under the platform's id", async () => {
    const { store, client, parts } = await staged({ guarantee: "none" });
    expect(await resendDelivery(agentId, key, parts)).toMatchObject({ state: "sent", platformId: "scripted-1" });
    expect(texts(client)).toEqual(["Hello"]);
    expect(await store.outbox.get(agentId, key)).toMatchObject({
      state: "sent",
      platformId: "scripted-1",
      attempts: 1,
    });
    const id = messageMemoryId({ platform: "scripted", account: "scripted", room: "lobby", message: "scripted-1" });
    expect(await store.memories.get(agentId, [id])).toMatchObject([{ runId: "run-1", content: { text: "Hello" } }]);
  });

  it.each(["nonce", "lookup"] as const)(
    "shows it once where the platform has it already and knows by %s",
    async (guarantee) => {
      const { client, store, parts } = await staged({ guarantee });
      const row = await store.outbox.get(agentId, key);
      if (row) await client.send(row.delivery, parts.signal);
      expect(await resendDelivery(agentId, key, parts)).toMatchObject({ state: "sent", platformId: "scripted-1" });
      expect(texts(client)).toEqual(["Hello"]);
    },
  );

  it("waits and tries again while the platform is busy, and counts the age from now", async () => {
    const { client, clock, parts } = await staged({ state: "failed" });
    await clock.advance(600_000);
    client.failNext({ type: "not-sent", retryInMs: 5_000 });
    const receipt = resendDelivery(agentId, key, parts);
    await clock.advance(5_000);
    expect(await receipt).toMatchObject({ state: "sent" });
  });

  it("records a refusal", async () => {
    const { client, store, parts } = await staged({ state: "failed" });
    client.failNext({ type: "rejected" });
    expect(await resendDelivery(agentId, key, parts)).toMatchObject({ state: "failed" });
    expect(await store.outbox.get(agentId, key)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("refused"),
    });
  });

  it("leaves the row as it is when its client is not connected", async () => {
    const { store, parts } = await staged();
    expect(await codeOf(resendDelivery(agentId, key, { ...parts, clientFor: () => null }))).toBe("unavailable");
    expect(await store.outbox.get(agentId, key)).toMatchObject({ state: "uncertain" });
  });

  it.each([
    ["unknown", {}, "run-1/1.text/9", "not_found"],
    ["sent", { state: "sent" }, key, "conflict"],
    ["in its run's hands", { state: "pending", isRunOpen: true }, key, "conflict"],
    ["without text", { text: "" }, key, "invalid"],
  ] as const)("refuses what is %s", async (_, setting, wanted, code) => {
    const { client, parts } = await staged(setting);
    expect(await codeOf(resendDelivery(agentId, wanted, parts))).toBe(code);
    expect(texts(client)).toEqual([]);
  });
});

describe("settling a delivery", () => {
  it("marks it as sent under the id the operator saw", async () => {
    const { store, parts } = await staged();
    const row = await settleDelivery(agentId, key, { type: "sent", platformId: "77" }, parts);
    expect(row).toMatchObject({ state: "sent", platformId: "77" });
    expect(await store.memories.byPlatformId(agentId, "77")).toMatchObject([{ content: { text: "Hello" } }]);
  });

  it("drops it, and what was remembered as said", async () => {
    const { store, parts } = await staged();
    const said = await settleDelivery(agentId, key, { type: "drop" }, parts);
    expect(said).toMatchObject({ state: "failed", error: "Dropped by the operator." });
    const id = messageMemoryId({ platform: "scripted", account: "scripted", room: "lobby", message: key });
    expect(await store.memories.get(agentId, [id])).toEqual([]);
  });

  it("leaves what is to be sent again to the next start, which sends it once", async () => {
    const { client, parts } = await staged();
    expect(await settleDelivery(agentId, key, { type: "resend" }, parts)).toMatchObject({ state: "pending" });
    expect(await resendWaiting(agentId, parts)).toMatchObject([{ state: "sent" }]);
    expect(await resendWaiting(agentId, parts)).toEqual([]);
    expect(texts(client)).toEqual(["Hello"]);
  });

  it("keeps away from deliveries of runs that are still at work", async () => {
    const { client, parts } = await staged({ state: "pending", isRunOpen: true });
    expect(await resendWaiting(agentId, parts)).toEqual([]);
    expect(texts(client)).toEqual([]);
  });
});
