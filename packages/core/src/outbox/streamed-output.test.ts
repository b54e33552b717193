import { describe, expect, it } from "vitest";
import type { Client, Edits, SendResult } from "../client/client.ts";
import { silentLog } from "../log.ts";
import { createDelivery } from "../testing/create-delivery.ts";
import { createSetClock, type SetClock } from "../testing/set-clock.ts";
import { createStreamedOutput, type StreamedOutput } from "./streamed-output.ts";

type Scene = { readonly output: StreamedOutput; readonly clock: SetClock; readonly happened: string[] };

function scene(given: { intervalMs?: number; first?: SendResult; edit?: SendResult[]; limit?: number } = {}): Scene {
  const clock = createSetClock(0);
  const happened: string[] = [];
  const edits: Edits = {
    intervalMs: given.intervalMs ?? 1_000,
    edit: async (_id, delivery) => {
      happened.push(`${clock.now()} edit ${delivery.content.text}`);
      return given.edit?.shift() ?? { type: "sent", platformId: "p" };
    },
  };
  const client: Client = {
    platform: "test",
    account: "bot",
    limits: { textLength: given.limit ?? 100, unit: "utf16" },
    start: async () => undefined,
    guarantee: () => "none",
    edits,
    send: async (delivery) => {
      happened.push(`${clock.now()} send ${delivery.content.text}`);
      return given.first ?? { type: "sent", platformId: "p" };
    },
  };
  const output = createStreamedOutput(createDelivery(client, "room", ""), {
    client,
    edits,
    clock,
    log: silentLog,
    open: async () => void happened.push("row committed"),
    opened: async (id) => void happened.push(`id ${id} committed`),
    signal: new AbortController().signal,
  });
  return { output, clock, happened };
}

describe("a streamed output", () => {
  it("commits the row before the first byte and the platform's id before the first edit", async () => {
    const { output, clock, happened } = scene();
    output.push("He");
    await clock.advance(0);
    output.push("llo");
    await clock.advance(1_000);
    expect(happened).toEqual(["row committed", "0 send He", "id p committed", "1000 edit Hello"]);
    expect(await output.finish()).toEqual({ type: "shown", platformId: "p" });
  });

  it("edits no more often than the client allows, and skips what came between", async () => {
    const { output, clock, happened } = scene();
    for (const word of "a b c d e f g h".split(" ")) {
      output.push(word);
      await clock.advance(400);
    }
    expect(happened.filter((line) => line.includes("edit"))).toEqual([
      "1000 edit abc",
      "2000 edit abcde",
      "3000 edit abcdefgh",
    ]);
  });

  it("waits for nothing when the text is complete", async () => {
    const { output, clock } = scene();
    output.push("one");
    await clock.advance(0);
    output.push(" two");
    expect(await output.finish()).toEqual({ type: "shown", platformId: "p" });
    expect(clock.sleepers()).toBe(0);
  });

  it("shows no more than fits, never half a character", async () => {
    const { output, clock, happened } = scene({ limit: 4 });
    output.push("abc😀def");
    await clock.advance(0);
    expect(happened).toContain("0 send abc");
  });

  it.each<[SendResult, string]>([
    [{ type: "unknown", error: "cut" }, "unknown"],
    [{ type: "not-sent", error: "429" }, "unsent"],
    [{ type: "rejected", error: "no" }, "unsent"],
  ])("leaves it to the final send when the first answer is %j", async (first, type) => {
    const { output, clock, happened } = scene({ first });
    output.push("x");
    await clock.advance(0);
    output.push("y");
    await clock.advance(5_000);
    expect(happened.filter((line) => line.includes("edit"))).toEqual([]);
    expect(await output.finish()).toEqual({ type });
  });

  it("waits as long as the platform asks before the next edit", async () => {
    const { output, clock, happened } = scene({ edit: [{ type: "not-sent", retryInMs: 9_000, error: "429" }] });
    output.push("a");
    await clock.advance(0);
    output.push("b");
    await clock.advance(30_000);
    expect(happened.slice(3)).toEqual(["1000 edit ab", "10000 edit ab"]);
  });
});
