import { expect, it } from "vitest";
import { botIdOf, readSettings } from "./options.ts";

it("takes what nobody said for the usual", () => {
  expect(readSettings({})).toEqual({
    onUnknown: new Map(),
    answerWithinMs: 86_400_000,
    forwardTo: undefined,
    likeEmoji: "👍",
    repliesIn: "all",
  });
});

it.each<[object, object]>([
  [{ onUnknown: "hold" }, { onUnknown: new Map([["*", "hold"]]) }],
  [
    { onUnknown: { "-1001": "hold", "*": "resend" } },
    {
      onUnknown: new Map([
        ["-1001", "hold"],
        ["*", "resend"],
      ]),
    },
  ],
  [
    { forwardTo: -1001234567890, answerWithinMs: "60000" },
    { forwardTo: "-1001234567890", answerWithinMs: 60_000 },
  ],
  [{ forwardTo: "-100123/7" }, { forwardTo: "-100123/7" }],
])("reads %j", (said, read) => {
  expect(readSettings(said as Parameters<typeof readSettings>[0])).toMatchObject(read);
});

it.each([
  { onUnknown: "sometimes" },
  { onUnknown: { "1": 7 } },
  { onUnknown: [] },
  { answerWithinMs: -1 },
  { answerWithinMs: "soon" },
  { answerWithinMs: null },
  { forwardTo: "my channel" },
  { forwardTo: true },
  { likeEmoji: "" },
  { repliesIn: "everywhere" },
])("names the setting that cannot be: %j", (said) => {
  const [name = ""] = Object.keys(said);
  expect(() => readSettings(said as Parameters<typeof readSettings>[0])).toThrow(`platforms.telegram.${name}`);
});

it("knows a bot by its token, and no token in what it says", () => {
  expect(botIdOf(" 123:abc_DEF-1 ")).toBe("123");
  expect(() => botIdOf("my-secret")).toThrow(/@BotFather/);
  expect(() => botIdOf("my-secret")).not.toThrow(/my-secret/);
});
