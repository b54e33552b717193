import { expect, it } from "vitest";
import { accountOf } from "./options.ts";
import { readSettings } from "./settings.ts";

it("has everything off until it is switched on", () => {
  const { loops, isDry, repliesTo, dailySpendUsd } = readSettings({});
  expect([loops.size, isDry, repliesTo, dailySpendUsd]).toEqual([0, false, "mentioned", 5]);
});

it("reads numbers and yes or no as people write them, in their units", () => {
  const settings = readSettings({
    ...{ mentions: "true", posts: "off", homeTimeline: true, targets: "yes", directMessages: "1", dryRun: "TRUE" },
    ...{ pollIntervalSeconds: "120", timelineIntervalMinutes: [60, 30], targetUsers: "@bo, cy" },
    ...{ maxPerDay: { like: "3" }, relevance: { like: 0 }, forbid: { links: ["@spam.example"], hashtags: true } },
    ...{ dailySpendUsd: "unlimited", quietHours: "22:00-07:00", unheardOf: 7 },
  });
  expect([...settings.loops]).toEqual([
    ["mentions", { restMs: [120_000, 120_000] }],
    ["timeline", { restMs: [1_800_000, 3_600_000] }],
    ["targets", { restMs: [1_800_000, 3_600_000] }],
    ["direct", { restMs: [120_000, 240_000] }],
  ]);
  expect(settings).toMatchObject({
    targetUsers: ["bo", "cy"],
    perDay: { like: 3, post: 12 },
    relevance: { like: 0, retweet: 8 },
    forbidden: { links: ["spam.example"], mentions: false, hashtags: true },
    dailySpendUsd: null,
    isDry: true,
  });
});

it.each([
  ["mentions", "perhaps", "true or false"],
  ["pollIntervalSeconds", 0, "seconds"],
  ["postIntervalMinutes", [1], "minutes"],
  ["answerWithinMs", -1, "0 or more"],
  ["repliesTo", "all", "mentioned"],
  ["engagements", ["like", "bite"], "like, retweet"],
  ["maxPerDay", { bite: 3 }, "by post, like"],
  ["relevance", { like: 11 }, "0 to 10"],
  ["batchSize", 51, "0 to 50"],
  ["targetUsers", 7, "list"],
  ["forbid", { cats: true }, "links, mentions or hashtags"],
  ["dailySpendUsd", "a lot", "US dollars"],
])("refuses %s of %j with what it may be", (name, value, words) => {
  expect(() => readSettings({ [name]: value })).toThrow(`platforms.twitter.${name}`);
  expect(() => readSettings({ [name]: value })).toThrow(words);
});

it("reads the account out of its access token, and says what one looks like", () => {
  expect(accountOf({ accessToken: " 123-abc_D " })).toBe("123");
  for (const accessToken of ["", "abc", "123", "x-123"]) {
    expect(() => accountOf({ accessToken })).toThrow("TWITTER_ACCESS_TOKEN");
  }
});
