import type { Log } from "@troupe/core";
import { silentLog } from "@troupe/core/log";
import { expect, it } from "vitest";
import { runLoop } from "./loop.ts";

it("tells of a turn that fails, and takes it again, on a log whose methods need it", async () => {
  const told: string[] = [];
  const log = {
    ...silentLog,
    told,
    warn(this: { told: string[] }, _: object, message: string) {
      this.told.push(message);
    },
  } as Log;
  const values = new Map<string, string>();
  const state = {
    get: async (key: string) => values.get(key) ?? null,
    set: async (key: string, value: string) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
  };
  const stopping = new AbortController();
  let turns = 0;
  const clock = { now: () => 0, sleep: async () => stopping.signal.throwIfAborted() };
  const run = async (): Promise<void> => {
    turns += 1;
    if (turns === 1) throw new Error("cut");
    stopping.abort(new Error("enough"));
  };
  const running = runLoop(
    { name: "mentions", restMs: [1, 1], isEager: true, run },
    { clock, random: () => 0.5, state, log, signal: stopping.signal },
  );
  await running.catch(() => undefined);
  expect({ turns, told }).toEqual({ turns: 2, told: ["a loop could not do its work"] });
});
