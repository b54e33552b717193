import { describe, expect, it } from "vitest";
import type { DecodedResponse } from "../format/decoded-response.ts";
import type { RegisteredAction } from "./action.ts";
import { builtInActions } from "./built-in-actions.ts";
import { planCalls } from "./plan-calls.ts";

const retweet: RegisteredAction = {
  name: "RETWEET",
  description: "",
  similes: [],
  run: async () => ({ success: true }),
};
const actions = [...builtInActions, retweet];
const resolve = (name: string): RegisteredAction | null =>
  actions.find((action) => action.name === name.toUpperCase()) ?? null;
const answer = (change: Partial<DecodedResponse>): DecodedResponse => ({
  text: "",
  actions: [],
  keywords: [],
  complete: true,
  ...change,
});
const names = (decoded: Partial<DecodedResponse>): string[] =>
  planCalls(answer(decoded), resolve).calls.map(({ name }) => name);

describe("planCalls", () => {
  it("counts a keyword and the action of the same name once", () => {
    expect(names({ actions: [{ name: "retweet" }], keywords: ["RETWEET"] })).toEqual(["RETWEET"]);
  });

  it("keeps the order of the named actions and puts keywords after them", () => {
    expect(names({ text: "x", actions: [{ name: "REPLY" }], keywords: ["RETWEET"] })).toEqual(["REPLY", "RETWEET"]);
  });

  it("runs an action twice that is named twice, but steers once", () => {
    expect(
      names({ text: "x", actions: [{ name: "RETWEET" }, { name: "RETWEET" }, { name: "NONE" }, { name: "NONE" }] }),
    ).toEqual(["RETWEET", "RETWEET", "NONE"]);
  });

  it("keeps an unknown name as a call without an action", () => {
    expect(planCalls(answer({ actions: [{ name: "FLY" }] }), resolve).calls).toEqual([
      { name: "FLY", origin: "named", action: null },
    ]);
  });

  it.each([
    [
      { keywords: ["IGNORE"], text: "shh" },
      { isSilent: true, isStop: false },
    ],
    [
      { actions: [{ name: "STOP" }], text: "bye" },
      { isSilent: true, isStop: true },
    ],
    [
      { keywords: ["RESPOND", "YES"], text: "hi" },
      { isSilent: false, isStop: false },
    ],
  ])("reads silence from %j", (decoded, meaning) => {
    expect(planCalls(answer(decoded), resolve)).toMatchObject({ ...meaning, isUnusable: false });
  });

  it.each([
    [{}, true],
    [{ actions: [{ name: "REPLY" }] }, true],
    [{ actions: [{ name: "NONE" }] }, false],
    [{ actions: [{ name: "RETWEET" }] }, false],
    [{ text: "words" }, false],
  ])("knows whether %j is usable", (decoded, isUnusable) => {
    expect(planCalls(answer(decoded), resolve).isUnusable).toBe(isUnusable);
  });
});
