import { describe, expect, it } from "vitest";
import { createSetClock } from "../testing/set-clock.ts";
import { composeState } from "./compose-state.ts";
import type { RegisteredProvider, StateRequest } from "./provider.ts";

const request = (signal = new AbortController().signal): StateRequest => ({
  runId: "run",
  step: 1,
  message: {
    id: "m",
    agentId: "a",
    roomId: "r",
    entityId: "e",
    type: "message",
    createdAt: 0,
    content: { text: "hi" },
  },
  now: 0,
  signal,
});

const saying = (name: string, position: number, text: string): RegisteredProvider => ({
  name,
  position,
  get: () => ({ text, values: { [name]: text }, data: { text } }),
});

describe("composeState", () => {
  it("puts what the providers gave in the order of their positions", async () => {
    const state = await composeState([saying("B", 2, "second"), saying("A", 1, "first")], request(), createSetClock());
    expect(state.texts.map(({ text }) => text)).toEqual(["first", "second"]);
    expect(state.values).toEqual({ A: "first", B: "second" });
    expect(state.data).toEqual({ A: { text: "first" }, B: { text: "second" } });
  });

  it("leaves a throwing provider out and names it", async () => {
    const broken: RegisteredProvider = {
      name: "BROKEN",
      position: 0,
      get: () => {
        throw new Error("no network");
      },
    };
    const state = await composeState([broken, saying("A", 1, "first")], request(), createSetClock());
    expect(state.texts).toHaveLength(1);
    expect(state.missing).toEqual([{ name: "BROKEN", failed: "no network" }]);
  });

  it("leaves a late provider out and waits for nobody else", async () => {
    const clock = createSetClock();
    const late: RegisteredProvider = {
      name: "LATE",
      position: 0,
      timeoutMs: 100,
      get: () => new Promise(() => undefined),
    };
    const composing = composeState([late, saying("A", 1, "first")], request(), clock);
    await clock.advance(100);
    const state = await composing;
    expect(state.missing).toEqual([{ name: "LATE", failed: "took longer than 100 ms" }]);
    expect(clock.sleepers()).toBe(0);
  });

  it("ends with the signal's reason when the run is called off", async () => {
    const abort = new AbortController();
    abort.abort(new Error("stopped"));
    await expect(composeState([], request(abort.signal), createSetClock())).rejects.toThrow("stopped");
  });
});
