import { describe, expect, it } from "vitest";
import type { Client, Guarantee, SendResult } from "../client/client.ts";
import { silentLog } from "../log.ts";
import type { Write } from "../store/writes.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { type DeliverParts, deliver, type Receipt } from "./deliver.ts";
import type { Delivery, OnUnknown } from "./delivery.ts";

const delivery: Delivery = {
  key: "run/1.text/0",
  agentId: "a",
  runId: "run",
  roomId: "r",
  platform: "test",
  account: "bot",
  target: "room-1",
  kind: "message",
  content: { text: "hello" },
  nonce: "n1",
};

type Given = {
  readonly guarantee?: Guarantee;
  readonly results: readonly SendResult[];
  readonly lookups?: readonly ({ readonly platformId: string } | null | Error)[];
  readonly onUnknown?: OnUnknown;
  readonly isUnknown?: boolean;
  readonly maxAgeMs?: number;
  /** It was opened already, and every try is an edit. */
  readonly isOpened?: boolean;
};

async function run(given: Given): Promise<{ receipt: Receipt; sends: number; writes: Write[]; waitedMs: number }> {
  const clock = createSetClock(0);
  const results = [...given.results];
  const lookups = [...(given.lookups ?? [])];
  const writes: Write[] = [];
  let sends = 0;
  const attempt = async (): Promise<SendResult> => {
    sends += 1;
    return results.shift() ?? { type: "rejected", error: "asked more often than expected" };
  };
  const client: Client = {
    platform: "test",
    account: "bot",
    limits: { textLength: 100, unit: "utf16" },
    start: async () => undefined,
    guarantee: () => given.guarantee ?? "none",
    send: attempt,
    ...(given.isOpened === true && { edits: { intervalMs: 0, edit: attempt } }),
    lookup: async () => {
      const found = lookups.shift() ?? null;
      if (found instanceof Error) throw found;
      return found;
    },
  };
  const parts: DeliverParts = {
    client,
    clock,
    random: () => 0.5,
    log: silentLog,
    onUnknown: given.onUnknown ?? "resend",
    maxAgeMs: given.maxAgeMs ?? 3_600_000,
    commit: async (write) => void writes.push(write),
    signal: new AbortController().signal,
  };
  let receipt: Receipt | undefined;
  const start = { delivery, createdAt: 0, isUnknown: given.isUnknown ?? false };
  const opened = given.isOpened === true ? { platformId: "p1" } : {};
  const delivering = deliver({ ...start, ...opened }, parts).then((got) => {
    receipt = got;
  });
  for (let minute = 0; minute < 200 && !receipt; minute++) await clock.advance(minute === 0 ? 0 : 60_000);
  await delivering;
  if (!receipt) throw new Error("the delivery did not end");
  return { receipt, sends, writes, waitedMs: clock.now() };
}

const sent: SendResult = { type: "sent", platformId: "p1" };
const unknown: SendResult = { type: "unknown", error: "cut" };

describe("deliver", () => {
  it("sends once and gives the platform's id", async () => {
    expect(await run({ results: [sent] })).toMatchObject({
      receipt: { state: "sent", platformId: "p1" },
      sends: 1,
      writes: [],
    });
  });

  it("waits as long as the platform asks and tries again", async () => {
    const { receipt, sends, writes } = await run({
      results: [{ type: "not-sent", retryInMs: 30_000, error: "429" }, sent],
    });
    expect(receipt).toEqual({ state: "sent", platformId: "p1" });
    expect(sends).toBe(2);
    expect(writes).toMatchObject([
      { state: "pending", error: "429" },
      { state: "sending", isAttempt: true },
    ]);
  });

  it("gives up a delivery that is too old, visibly", async () => {
    const down: SendResult = { type: "not-sent", error: "down" };
    const { receipt } = await run({ results: Array.from({ length: 50 }, () => down), maxAgeMs: 600_000 });
    expect(receipt).toEqual({ state: "failed", error: "Given up: too old. down" });
  });

  it("does not repeat what was refused", async () => {
    expect(await run({ results: [{ type: "rejected", error: "no permission" }] })).toMatchObject({
      receipt: { state: "failed", error: "no permission" },
      sends: 1,
    });
  });

  it("sends the same nonce again after an unknown outcome", async () => {
    expect(await run({ guarantee: "nonce", results: [unknown, sent] })).toMatchObject({
      receipt: { state: "sent" },
      sends: 2,
    });
  });

  it("looks before it sends the same nonce again, where the client can", async () => {
    expect(
      await run({ guarantee: "nonce", isUnknown: true, results: [], lookups: [{ platformId: "p9" }] }),
    ).toMatchObject({ receipt: { state: "sent", platformId: "p9" }, sends: 0 });
    expect(await run({ guarantee: "nonce", isUnknown: true, results: [sent], lookups: [null] })).toMatchObject({
      receipt: { state: "sent", platformId: "p1" },
      sends: 1,
    });
  });

  it("finds its own earlier send before it sends again", async () => {
    expect(
      await run({ guarantee: "lookup", isUnknown: true, results: [], lookups: [{ platformId: "p9" }] }),
    ).toMatchObject({
      receipt: { state: "sent", platformId: "p9" },
      sends: 0,
    });
    expect(
      await run({ guarantee: "lookup", isUnknown: true, results: [sent], lookups: [new Error("down"), null] }),
    ).toMatchObject({
      receipt: { state: "sent", platformId: "p1" },
      sends: 1,
    });
  });

  it("repeats a final edit of unknown outcome, also where sends are held, for it does no harm", async () => {
    expect(await run({ isOpened: true, onUnknown: "hold", results: [unknown, unknown, sent] })).toMatchObject({
      receipt: { state: "sent", platformId: "p1" },
      sends: 3,
    });
  });

  it("holds what nobody can know, where the operator says so", async () => {
    expect(await run({ results: [unknown], onUnknown: "hold" })).toMatchObject({
      receipt: { state: "uncertain" },
      sends: 1,
    });
    expect(await run({ results: [], isUnknown: true, onUnknown: "hold" })).toMatchObject({
      receipt: { state: "uncertain" },
      sends: 0,
    });
  });

  it("sends again once where nobody can know, and says that it may stand twice", async () => {
    const { receipt, sends } = await run({ results: [sent], isUnknown: true });
    expect(receipt).toMatchObject({ state: "sent", error: expect.stringContaining("twice") });
    expect(sends).toBe(1);
    expect(await run({ results: [unknown, unknown] })).toMatchObject({ receipt: { state: "uncertain" }, sends: 2 });
  });
});
