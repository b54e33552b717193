import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toEdited, toMembership, toReaction, toRemoved } from "./changes.ts";
import { type Around, type Hearer, isTooLate, toInbound } from "./inbound.ts";
import { madeAt } from "./read.ts";
import { toPlace } from "./surroundings.ts";

const hearer: Hearer = { agentId: "agent", agentName: "Ada", account: "100" };
const around: Around = {
  place: { id: "500", type: 0, name: "general", guildId: "300" },
  guild: { id: "300", name: "Harbour", ownerId: "7", adminIds: [] },
  roleName: (id) => (id === "800" ? "crew" : null),
  channelName: (id) => (id === "500" ? "general" : null),
  isOwnRole: (id) => id === "900",
};

/** After the example of https://discord.com/developers/docs/resources/message#message-object, with every part there is. */
const message = {
  id: "334385199974967042",
  channel_id: "500",
  guild_id: "300",
  type: 19,
  author: { id: "53908099506183680", username: "mason", global_name: "Mason", discriminator: "9999", avatar: "a_bab1" },
  member: { nick: "Captain", roles: ["800"], joined_at: "2017-03-13T19:19:14.040000+00:00" },
  content: "Supa <@100> <@!7> <@&800> <#500> <:hot:123> </ask:5> <t:0:R> <@12345>",
  timestamp: "2017-07-11T17:27:07.299000+00:00",
  edited_timestamp: null,
  tts: false,
  mention_everyone: false,
  mentions: [{ id: "7", username: "bo", global_name: "Bo", member: { nick: null } }],
  mention_roles: ["800"],
  attachments: [{ id: "9", filename: "a.png", url: "https://cdn.example/a.png", size: 3, content_type: "image/png" }],
  embeds: [{ type: "rich", title: "T", description: "D", fields: [{ name: "N", value: "V" }] }],
  sticker_items: [{ id: "1", name: "wave", format_type: 1 }],
  reactions: [{ count: 1, me: false, emoji: { id: null, name: "🔥" } }],
  poll: { question: { text: "Tea?" }, answers: [{ answer_id: 1, poll_media: { text: "Yes" } }] },
  message_reference: { type: 0, channel_id: "500", message_id: "306588351130107906", guild_id: "300" },
  referenced_message: { id: "306588351130107906", author: { id: "100" }, content: "hi" },
  message_snapshots: [{ message: { content: "old", attachments: [], embeds: [] } }],
  webhook_id: undefined,
};

const textOf = (payload: object): string | undefined => toInbound(payload, hearer, around)?.memory.content.text;

describe("a message's text", () => {
  it("is what people see", () => {
    expect(textOf(message)?.split("\n")).toEqual([
      "Supa @Ada @Bo @crew #general :hot: /ask 1970-01-01 00:00 UTC @somebody",
      "[sticker: wave]",
      "T",
      "D",
      "N: V",
      "[poll] Tea? (Yes)",
      "[forwarded message] old",
    ]);
  });

  it("leaves out previews of links", () => {
    expect(
      textOf({
        ...message,
        content: "see",
        sticker_items: [],
        poll: null,
        message_snapshots: [],
        embeds: [{ type: "link", title: "T" }],
      }),
    ).toBe("see");
  });
});

describe("whom a message is for", () => {
  const mentionOf = (change: object) => {
    const plain = { content: "", mentions: [], mention_roles: [], referenced_message: null, message_reference: null };
    return toInbound({ ...message, ...plain, ...change }, hearer, around)?.memory.content.mentionContext;
  };
  const toAgent = { message_reference: { message_id: "1" }, referenced_message: { author: { id: "100" } } };

  it.each([
    ["the agent, by its id", { content: "<@100> hi" }, { mentionsAgent: true, repliesToAgent: false }],
    ["the agent, by the role of the bot", { mention_roles: ["900"] }, { mentionsAgent: true, repliesToAgent: false }],
    [
      "a reply that notifies",
      { ...toAgent, mentions: [{ id: "100" }] },
      { mentionsAgent: false, repliesToAgent: true },
    ],
    [
      "somebody else",
      { mentions: [{ id: "7" }] },
      { mentionsAgent: false, repliesToAgent: false, mentionsOther: true },
    ],
    [
      "both",
      { content: "<@100>", mentions: [{ id: "7" }, { id: "100" }] },
      { mentionsAgent: true, repliesToAgent: false },
    ],
    ["everyone", { mention_everyone: true }, { mentionsAgent: false, repliesToAgent: false, mentionsEveryone: true }],
    ["a role", { mention_roles: ["800"] }, { mentionsAgent: false, repliesToAgent: false, mentionsEveryone: true }],
    ["nobody", {}, { mentionsAgent: false, repliesToAgent: false }],
  ])("is told: %s", (_, change, expected) => expect(mentionOf(change)).toEqual(expected));
});

describe("what is nobody's message", () => {
  it.each([
    ["our own", { author: { id: "100" } }],
    ["a pin", { type: 6 }],
    ["a join", { type: 7 }],
    ["a thread that begins", { type: 18 }],
    ["a thread's first message", { type: 21 }],
    ["one without an author", { author: null }],
    ["one without an id", { id: 5 }],
  ])("is left out: %s", (_, change) => expect(toInbound({ ...message, ...change }, hearer, around)).toBeNull());
});

describe("an update", () => {
  it("is an edit only when Discord says when it was edited", () => {
    expect(toEdited(message, hearer, around)).toBeNull();
    const edited = { ...message, edited_timestamp: "2017-07-11T17:30:07.299000+00:00" };
    expect(toEdited(edited, hearer, around)).toMatchObject({ kind: "edited", content: { source: "discord" } });
    expect(toEdited({ ...edited, content: undefined }, hearer, around)).toBeNull();
  });
});

it("finds a message too late by its id", () => {
  const writtenAt = madeAt(message.id);
  expect(isTooLate(message.id, writtenAt + 1_000, 2_000)).toBe(false);
  expect(isTooLate(message.id, writtenAt + 3_000, 2_000)).toBe(true);
});

/** The payload with one of its parts, at any depth, put in another's place. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  const odd = fc.oneof(fc.constant(undefined), fc.constant(null), fc.anything(), fc.string({ unit: "binary" }));
  const parts: (readonly (string | number)[])[] = [];
  const walk = (part: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) parts.push(path);
    if (Array.isArray(part)) for (const [n, item] of part.entries()) walk(item, [...path, n]);
    else if (typeof part === "object" && part !== null)
      for (const [key, item] of Object.entries(part)) walk(item, [...path, key]);
  };
  walk(value, []);
  const put = (into: unknown, [key, ...rest]: readonly (string | number)[], what: unknown): unknown => {
    if (key === undefined) return what;
    const copy: Record<string, unknown> = Array.isArray(into) ? ([...into] as never) : { ...(into as object) };
    copy[key] = put(copy[key], rest, what);
    return copy;
  };
  const change = fc.tuple(fc.constantFrom(...parts), odd);
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce<unknown>((so, [path, what]) => put(so, path, what), value));
}

describe("no payload, however odd,", () => {
  const facts = { isAdded: true, at: 1, userName: null };
  const reaction = {
    user_id: "7",
    message_id: "9",
    channel_id: "500",
    member: { user: { id: "7" }, nick: "x" },
    emoji: { id: null, name: "🔥" },
  };

  it("makes reading throw, and what is read is well-formed text", () => {
    fc.assert(
      fc.property(fc.oneof(mutated(message), fc.anything()), (payload) => {
        const heard = toInbound(payload, hearer, around);
        const edited = toEdited(payload, hearer, around);
        toRemoved(payload, hearer);
        toPlace(payload);
        toMembership(payload, hearer, around, "joined");
        if (!heard) return;
        expect(heard.memory.content.text.isWellFormed()).toBe(true);
        expect(heard.entity.name).not.toBe("");
        expect(Number.isFinite(heard.memory.createdAt)).toBe(true);
        expect(edited === null || edited.kind === "edited").toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("makes reading a reaction throw", () => {
    fc.assert(
      fc.property(
        fc.oneof(mutated(reaction), fc.anything()),
        (payload) => void toReaction(payload, hearer, around, facts),
      ),
    );
  });
});
