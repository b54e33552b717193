import { describe, expect, it } from "vitest";
import type { Content, Memory } from "../memory/memory.ts";
import { botStreakLimit, type DecisionFacts, decideByRules } from "./decide.ts";

const message = (content: Partial<Content>, entityId = "bo"): Memory => ({
  id: "m1",
  agentId: "ada",
  roomId: "r1",
  entityId,
  type: "message",
  createdAt: 0,
  content: { text: "hello there", channelType: "group", ...content },
});

const facts = (change: Partial<DecisionFacts>): DecisionFacts => ({
  message: message({}),
  isFromBot: false,
  isCommand: false,
  stance: "default",
  earlier: [],
  names: ["Ada"],
  settings: {},
  roomPlatformId: "room-1",
  entityPlatformId: "bo-1",
  now: Date.parse("2026-01-15T23:00:00Z"),
  ...change,
});

const mention = message({ mentionContext: { mentionsAgent: true, repliesToAgent: false } });
const reply = message({ mentionContext: { mentionsAgent: false, repliesToAgent: true } });
const toOther = message({ mentionContext: { mentionsAgent: false, repliesToAgent: false, mentionsOther: true } });
const direct = message({ channelType: "dm" });
const onServer = { ...mention, metadata: { worldPlatformId: "w1" } };
const late = { ...direct, metadata: { late: true } };
const ownTalk = [true, true, false].map((isOwn) => ({ isFromBot: false, isOwn }));
const bots = Array.from({ length: botStreakLimit }, () => ({ isFromBot: true, isOwn: false }));

describe("decideByRules", () => {
  it.each<[string, Partial<DecisionFacts>, string, string]>([
    ["its own message", { message: message({}, "ada") }, "ignore", "own-message"],
    ["an empty message", { message: message({ text: "  \n" }) }, "ignore", "nothing-said"],
    ["a direct message", { message: direct }, "respond", "direct-message"],
    [
      "a one-letter direct message",
      { message: message({ channelType: "dm", text: "?" }) },
      "respond",
      "direct-message",
    ],
    [
      "a direct message where those are ignored",
      { message: direct, settings: { shouldIgnoreDirectMessages: true } },
      "ignore",
      "direct-message-ignored",
    ],
    ["a mention", { message: mention }, "respond", "mention"],
    [
      "anything said in a group where groups are off",
      { message: mention, settings: { groupPolicy: "off" } },
      "ignore",
      "groups-off",
    ],
    [
      "a direct message where groups are off",
      { message: direct, settings: { groupPolicy: "off" } },
      "respond",
      "direct-message",
    ],
    [
      "unaddressed talk where groups must mention it",
      { settings: { groupPolicy: "mention" } },
      "ignore",
      "mentions-only",
    ],
    ["unaddressed talk where everybody is answered", { settings: { groupPolicy: "all" } }, "respond", "group-policy"],
    [
      "talk to somebody else where everybody is answered",
      { message: toOther, settings: { groupPolicy: "all" } },
      "ignore",
      "other-addressed",
    ],
    ["talk in a denied room", { message: mention, settings: { deniedRoomIds: ["room-1"] } }, "ignore", "room-denied"],
    [
      "talk in a part of a denied room",
      { message: mention, parentPlatformId: "room-0", settings: { deniedRoomIds: ["room-0"] } },
      "ignore",
      "room-denied",
    ],
    ["a denied person", { message: mention, settings: { deniedEntityIds: ["bo-1"] } }, "ignore", "entity-denied"],
    ["talk on a denied server", { message: onServer, settings: { deniedWorldIds: ["w1"] } }, "ignore", "world-denied"],
    [
      "talk on another server than the allowed ones",
      { message: onServer, settings: { allowedWorldIds: ["w2"] } },
      "ignore",
      "world-not-allowed",
    ],
    [
      "a direct message, whatever servers",
      { message: direct, settings: { allowedWorldIds: ["w2"] } },
      "respond",
      "direct-message",
    ],
    [
      "a mention where it only listens",
      { message: mention, settings: { listenOnlyRoomIds: ["room-1"] } },
      "ignore",
      "listen-only",
    ],
    [
      "a command where it only listens",
      { message: mention, isCommand: true, settings: { listenOnlyRoomIds: ["room-1"] } },
      "respond",
      "command",
    ],
    ["what was heard too late, a command too", { message: late, isCommand: true }, "ignore", "too-old"],
    [
      "a topic of an allowed chat",
      {
        message: mention,
        roomPlatformId: "room-1/7",
        parentPlatformId: "room-1",
        settings: { allowedRoomIds: ["room-1"] },
      },
      "respond",
      "mention",
    ],
    ["a reply to it", { message: reply }, "respond", "reply-to-agent"],
    ["its name", { message: message({ text: "what do you think, ada?" }) }, "respond", "name"],
    [
      "its name where only mentions count",
      { message: message({ text: "ada?" }), settings: { shouldRespondOnlyToMentions: true } },
      "ignore",
      "mentions-only",
    ],
    ["a message to somebody else", { message: toOther }, "ignore", "other-addressed"],
    ["anything at night", { message: mention, settings: { quietHours: "22:00-07:00" } }, "ignore", "quiet-hours"],
    ["a command at night", { isCommand: true, settings: { quietHours: "22:00-07:00" } }, "respond", "command"],
    ["group talk it took too much of", { earlier: ownTalk, settings: { maxTalkShare: 0.5 } }, "ignore", "talk-share"],
    [
      "a call in talk it took too much of",
      { message: mention, earlier: ownTalk, settings: { maxTalkShare: 0.5 } },
      "respond",
      "mention",
    ],
    ["talk in a muted room", { message: direct, stance: "muted" }, "ignore", "muted"],
    ["a mention in a muted room", { message: mention, stance: "muted" }, "respond", "mention"],
    ["talk after a conversation was ended", { stance: "stopped" }, "ignore", "stopped"],
    [
      "its name after a conversation was ended",
      { message: message({ text: "Ada!" }), stance: "stopped" },
      "respond",
      "name",
    ],
    ["a command in a muted room", { isCommand: true, stance: "muted" }, "respond", "command"],
    [
      "a bot where bots are ignored",
      { isFromBot: true, message: mention, settings: { shouldIgnoreBotMessages: true } },
      "ignore",
      "bot-message",
    ],
    ["the next bot in a loop of bots", { isFromBot: true, message: mention, earlier: bots }, "ignore", "bot-loop"],
    [
      "a room that is not allowed",
      { message: mention, settings: { allowedRoomIds: ["other"] } },
      "ignore",
      "room-not-allowed",
    ],
    [
      "somebody who is not allowed",
      { message: mention, settings: { allowedEntityIds: [] } },
      "ignore",
      "entity-not-allowed",
    ],
  ])("decides about %s", (_what, change, decision, rule) => {
    expect(decideByRules(facts(change))).toMatchObject({ decision, rule });
  });

  it("leaves group talk that names nobody to the model", () => {
    expect(decideByRules(facts({}))).toBeNull();
  });

  it("answers a person after a loop of bots", () => {
    expect(decideByRules(facts({ message: mention, earlier: bots }))).toMatchObject({ decision: "respond" });
  });

  it("hears an attachment without words", () => {
    const picture = message({ text: "", channelType: "dm", attachments: [{ id: "a", url: "file:a.png" }] });
    expect(decideByRules(facts({ message: picture }))).toMatchObject({ decision: "respond" });
  });
});
