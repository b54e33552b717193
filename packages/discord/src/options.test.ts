import { describe, expect, it } from "vitest";
import { checkOptions, readSettings } from "./options.ts";

describe("the settings for Discord", () => {
  it("are filled in", () => {
    expect(readSettings()).toEqual({
      forwardTo: null,
      likeEmoji: "❤️",
      answerInThread: false,
      statusText: null,
      allowedMentions: [],
      repliesIn: "groups",
      answerWithinMs: 86_400_000,
      catchUpLimit: 500,
    });
  });

  it("are read as people write them", () => {
    const given = {
      forwardTo: 123,
      answerInThread: "true",
      allowedMentions: "users",
      answerWithinMs: "1000",
      repliesIn: "all",
    };
    expect(readSettings(given)).toMatchObject({
      forwardTo: "123",
      answerInThread: true,
      allowedMentions: ["users"],
      answerWithinMs: 1_000,
      repliesIn: "all",
    });
  });

  it.each([
    ["forwardTo", "general"],
    ["likeEmoji", ""],
    ["answerInThread", "perhaps"],
    ["statusText", "x".repeat(129)],
    ["allowedMentions", ["strangers"]],
    ["answerWithinMs", -1],
    ["catchUpLimit", 1.5],
    ["repliesIn", "sometimes"],
  ])("name what is wrong: %s", (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(`platforms.discord.${name}`);
  });
});

describe("the options", () => {
  const options = { token: "abc", agentId: "a", agentName: "Ada" };

  it("name what is wrong", () => {
    expect(() => checkOptions({ ...options, token: " " })).toThrow("DISCORD_API_TOKEN");
    expect(() => checkOptions({ ...options, shards: 0 })).toThrow("shards");
    expect(() => checkOptions({ ...options, shards: "auto" })).not.toThrow();
  });
});
