import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toDirectInbound } from "./direct.ts";
import { type Hearer, toInbound } from "./inbound.ts";
import { compareIds, fieldsOf, idBefore, listIn, readIncludes, readPage, timeOfId } from "./payload.ts";
import { chainOf } from "./reading.ts";

const hearer: Hearer = {
  account: "100",
  username: "ada_bot",
  agentName: "Ada",
  agentId: "agent",
  now: Date.UTC(2026, 5, 1),
  answerWithinMs: 86_400_000,
};

/** As in https://docs.x.com/x-api/users/get-mentions, with every expansion. */
const fixture = {
  data: [
    {
      id: "1900000000000000003",
      text: "@cy @ada_bot what about &lt;this&gt; by @dee? https://t.co/aaa https://t.co/bbb",
      author_id: "200",
      conversation_id: "1900000000000000001",
      created_at: "2026-05-31T23:00:00.000Z",
      in_reply_to_user_id: "300",
      lang: "en",
      display_text_range: [4, 80],
      referenced_tweets: [
        { type: "replied_to", id: "1900000000000000002" },
        { type: "quoted", id: "1800000000000000001" },
      ],
      attachments: { media_keys: ["3_1"] },
      entities: {
        mentions: [
          { start: 0, end: 3, username: "cy", id: "300" },
          { start: 4, end: 12, username: "ada_bot", id: "100" },
          { start: 45, end: 49, username: "dee", id: "400" },
        ],
        urls: [
          { start: 51, end: 66, url: "https://t.co/aaa", expanded_url: "https://example.com/whole" },
          {
            start: 67,
            end: 82,
            url: "https://t.co/bbb",
            expanded_url: "https://x.com/b/status/1/photo/1",
            media_key: "3_1",
          },
        ],
      },
      public_metrics: { like_count: 2, retweet_count: 0, reply_count: 1, quote_count: 0 },
    },
  ],
  includes: {
    users: [
      { id: "200", name: "Bo  Smith\n", username: "bo" },
      { id: "300", name: "Cy", username: "cy" },
      { id: "400", name: "Dee", username: "dee" },
    ],
    tweets: [
      {
        id: "1900000000000000002",
        text: "@bo Nothing &amp; nobody.",
        author_id: "300",
        conversation_id: "1900000000000000001",
        entities: { mentions: [{ start: 0, end: 3, username: "bo", id: "200" }] },
        referenced_tweets: [{ type: "replied_to", id: "1900000000000000001" }],
      },
      { id: "1900000000000000001", text: "It began here.", author_id: "200" },
      { id: "1800000000000000001", text: "Quoted words\nof two lines", author_id: "400" },
    ],
    media: [{ media_key: "3_1", type: "photo", url: "https://pbs.twimg.com/media/1.jpg", alt_text: "A wheel" }],
  },
  meta: { result_count: 1, newest_id: "1900000000000000003", next_token: "more" },
} as const;

const heard = (body: unknown) => {
  const page = readPage(body);
  return page.posts.map((post) => toInbound(post, page, hearer));
};

describe("a post that is heard", () => {
  it("is read with its author, what it quotes, its pictures, and whom it is meant for", () => {
    const [inbound] = heard(fixture);
    expect(inbound).toMatchObject({
      eventId: "post:1900000000000000003",
      world: { platformId: "x", name: "X" },
      room: { platformId: "1900000000000000001", channelType: "thread" },
      entity: { platformId: "200", name: "Bo Smith", data: { username: "bo" } },
      memory: {
        platformId: "1900000000000000003",
        content: {
          text: "> Dee: Quoted words\n> of two lines\n\n@Ada what about <this> by @Dee? https://example.com/whole",
          mentionContext: { mentionsAgent: true, repliesToAgent: false },
          url: "https://x.com/bo/status/1900000000000000003",
          attachments: [{ id: "3_1", url: "https://pbs.twimg.com/media/1.jpg", description: "A wheel" }],
        },
        metadata: { repliedToPostId: "1900000000000000002", quotedPostId: "1800000000000000001", language: "en" },
      },
    });
  });

  it("shows the agent's own words where its post began the conversation", () => {
    const own = { ...fixture.includes.tweets[1], id: "1900000000000000001", author_id: "100" };
    const reply = {
      id: "1900000000000000009",
      author_id: "200",
      text: "@ada_bot why?",
      conversation_id: own.id,
      in_reply_to_user_id: "100",
      referenced_tweets: [{ type: "replied_to", id: own.id }],
      entities: { mentions: [{ start: 0, end: 8, username: "ada_bot", id: "100" }] },
    };
    const [inbound] = heard({ data: [reply], includes: { ...fixture.includes, tweets: [own] } });
    expect(inbound?.memory.content.text).toBe("> Ada: It began here.\n\nwhy?");
    expect(inbound?.memory.content.mentionContext).toEqual({ mentionsAgent: false, repliesToAgent: true });
  });

  it("is not for the agent when X only carried its name along", () => {
    const parent = {
      id: "1900000000000000002",
      author_id: "300",
      text: "@ada_bot and @bo, listen",
      entities: { mentions: [{ start: 0, end: 8, username: "ada_bot", id: "100" }] },
    };
    const reply = {
      id: "1900000000000000003",
      author_id: "200",
      text: "@cy @ada_bot I do",
      in_reply_to_user_id: "300",
      referenced_tweets: [{ type: "replied_to", id: parent.id }],
      entities: {
        mentions: [
          { start: 0, end: 3, username: "cy", id: "300" },
          { start: 4, end: 12, username: "ada_bot", id: "100" },
        ],
      },
    };
    const [inbound] = heard({ data: [reply], includes: { tweets: [parent] } });
    expect(inbound?.memory.content).toMatchObject({
      text: "I do",
      mentionContext: { mentionsAgent: false, repliesToAgent: false, mentionsOther: true },
    });
  });

  it("knows what it answers, as far up as X told, and never runs in circles", () => {
    const page = readPage(fixture);
    const [post] = page.posts;
    expect(post && chainOf(page, post).map(({ id }) => id)).toEqual(["1900000000000000002", "1900000000000000001"]);
    const loop = { id: "5", author_id: "1", text: "", referenced_tweets: [{ type: "replied_to", id: "6" }] };
    const back = { id: "6", author_id: "1", text: "", referenced_tweets: [{ type: "replied_to", id: "5" }] };
    const circle = readPage({ data: [loop], includes: { tweets: [back, loop] } });
    expect(circle.posts.map((one) => chainOf(circle, one).length)).toEqual([1]);
  });
});

/** The fixture with one value, anywhere, replaced by anything. */
const mutated = fc
  .tuple(fc.nat(200), fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), fc.constant(undefined)))
  .map(([place, value]) => {
    let at = 0;
    return JSON.parse(
      JSON.stringify(fixture, (_key, old: unknown) => {
        at += 1;
        return at === place + 2 ? value : old;
      }) ?? "null",
    ) as unknown;
  });

describe("any payload, however odd", () => {
  it("is read or passed over, and never throws", () => {
    fc.assert(
      fc.property(fc.oneof(mutated, fc.jsonValue()), (body) => {
        for (const inbound of heard(body)) {
          expect(inbound?.memory.content.text.isWellFormed() ?? true).toBe(true);
          expect(Number.isFinite(inbound?.memory.createdAt ?? 0)).toBe(true);
        }
        const fields = fieldsOf(body);
        for (const event of listIn(fields, "data")) toDirectInbound(event, readIncludes(fields), hearer);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("ids of X", () => {
  it("are compared as numbers, and tell when they were made", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 62n }), fc.bigInt({ min: 1n, max: 2n ** 62n }), (one, other) => {
        expect(Math.sign(compareIds(String(one), String(other)))).toBe(one === other ? 0 : one < other ? -1 : 1);
      }),
    );
    const at = Date.UTC(2026, 5, 1);
    expect(timeOfId(idBefore(at))).toBe(at - 1);
  });
});
