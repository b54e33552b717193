import { type Delivery, type Inbound, type LogLine, silentLog } from "@troupe/core";
import { createSetClock } from "@troupe/core/testing";
import type { TwitterSimulator } from "@troupe/simulator-twitter";
import { describe, expect, it } from "vitest";
import { clientOf, connect, createState, deliveryOf, hastyClock, openTwitter, until } from "./testing/stage.ts";

const createPost = "POST /2/tweets";
const cut = { type: "drop", when: "after" } as const;
const posts = (simulator: TwitterSimulator) => simulator.requests.filter(({ method }) => method === "POST").length;

/** A log that keeps what a person must look at. */
function loudLog() {
  const errors: string[] = [];
  const error: LogLine = (_, message) => void errors.push(message);
  return { errors, log: { ...silentLog, error } };
}

describe("an outcome nobody knows", () => {
  it("is found in the own timeline by where its links lead, and not sent again", async () => {
    const { simulator, client, bot, deliver } = await connect();
    simulator.faults.add({ match: createPost, fault: cut });
    const text = "Read this & that: https://example.com/a?b=1 and troupe.example.org, 漢字 👩‍👩‍👧‍👦";
    expect(await deliver("feed", text)).toMatchObject({ type: "unknown" });
    const delivery = deliveryOf(client, "feed", text, 1);
    expect(await client.lookup?.(delivery)).toEqual({ platformId: bot.posts()[0]?.id });
    expect(await client.send(delivery, new AbortController().signal)).toMatchObject({
      type: "sent",
      platformId: bot.posts()[0]?.id,
    });
    expect(posts(simulator)).toBe(1);
  });

  it("counts as sent when X calls its repetition a duplicate, also in another process", async () => {
    const simulator = await openTwitter();
    const bot = simulator.createUser({ username: "ada_bot" });
    const state = createState();
    const first = await connect({ parts: { state } }, { simulator, bot });
    simulator.faults.add({ match: createPost, fault: cut });
    const delivery = deliveryOf(first.client, "feed", "Once and for all.", 1);
    expect(await first.client.send(delivery, first.signal)).toMatchObject({ type: "unknown" });
    first.stop();
    const second = await connect({ parts: { state } }, { simulator, bot });
    expect(await second.client.send(delivery, second.signal)).toMatchObject({
      type: "sent",
      platformId: bot.posts()[0]?.id,
    });
    expect(bot.posts()).toHaveLength(1);
  });

  it("is none when the post never arrived", async () => {
    const { simulator, client, deliver } = await connect();
    simulator.faults.add({ match: createPost, fault: { type: "drop", when: "before" } });
    expect(await deliver("feed", "Lost.")).toMatchObject({ type: "unknown" });
    expect(await client.lookup?.(deliveryOf(client, "feed", "Lost.", 1))).toBeNull();
    expect(await deliver("feed", "Lost.")).toMatchObject({ type: "sent" });
  });
});

describe("X's limits", () => {
  it("are waited for as its headers say, and answers come before everything else", async () => {
    const clock = createSetClock(Date.UTC(2026, 5, 1));
    const simulator = await openTwitter({ clock, limits: { [createPost]: { user: 10 } } });
    const bot = simulator.createUser({ username: "ada_bot" });
    const bo = simulator.createUser({ username: "bo" });
    const settings = { mentions: false, maxPerDay: { post: 100 } };
    const { deliver } = await connect({ settings, parts: { clock } }, { simulator, bot });
    const words = ["brass", "steam", "looms", "gears", "smoke", "copper", "rivets", "coal", "iron", "tin", "zinc"];
    const said = [];
    for (const word of words) said.push(await deliver("feed", `${word} ${word}`));
    const [sent, waiting] = [
      said.filter(({ type }) => type === "sent"),
      said.filter(({ type }) => type === "not-sent"),
    ];
    expect([sent.length, waiting.length]).toEqual([9, 2]);
    expect(waiting[0]).toMatchObject({ retryInMs: 15 * 60_000 });
    const question = bo.post("@ada_bot quick!");
    const more: Partial<Delivery> = { replyToPlatformId: question.id, content: { text: "Here." } };
    expect(await deliver(question.id, more)).toMatchObject({ type: "sent" });
    expect(simulator.requests.filter(({ path, method }) => path === "/2/tweets" && method === "POST")).toHaveLength(10);
    await clock.advance(15 * 60_000);
    expect(await deliver("feed", "later, and different")).toMatchObject({ type: "sent" });
  });

  it("of the day hold when many things are done at once", async () => {
    const settings = { mentions: false, maxPerDay: { post: 3 } };
    const { bot, deliver } = await connect({ settings });
    const words = ["brass", "steam", "looms", "gears", "smoke", "copper"];
    const results = await Promise.all(words.map((word) => deliver("feed", `${word} all the way`)));
    expect(results.filter(({ type }) => type === "sent")).toHaveLength(3);
    expect(bot.posts()).toHaveLength(3);
  });

  it("in money are never crossed, at once or one after the other, and hold until the next day", async () => {
    const clock = createSetClock(Date.UTC(2026, 5, 1, 12));
    const simulator = await openTwitter({ clock });
    const bot = simulator.createUser({ username: "ada_bot" });
    const settings = { mentions: false, dailySpendUsd: 0.1, maxPerDay: { post: 100 } };
    const { deliver } = await connect({ settings, parts: { clock } }, { simulator, bot });
    const words = ["brass", "steam", "looms", "gears", "smoke", "copper", "rivets", "coal", "iron", "tin", "zinc"];
    const results = await Promise.all(words.map((word) => deliver("feed", `${word} as ever`)));
    expect(results.find(({ type }) => type === "rejected")).toMatchObject({
      error: expect.stringContaining("0.1 US dollars"),
    });
    expect(simulator.meter.totalUsd).toBeLessThanOrEqual(0.1);
    expect(simulator.meter.totalUsd).toBeGreaterThan(0.05);
    await clock.advance(13 * 3_600_000);
    expect(await deliver("feed", "a new day")).toMatchObject({ type: "sent" });
  });

  it("hang nobody up: a server that never answers is given up, and what was asked is unknown", async () => {
    const { simulator, deliver } = await connect({ options: { requestTimeoutMs: 50 }, settings: { mentions: false } });
    simulator.faults.add({ match: createPost, fault: { type: "hang", when: "after" } });
    expect(await deliver("feed", "Anybody there?")).toMatchObject({ type: "unknown" });
  });

  it("are told when nothing answers at all", async () => {
    const stage = await connect({ settings: { mentions: false } });
    await stage.simulator.close();
    const result = await stage.deliver("feed", "Into the void");
    expect(["not-sent", "unknown"]).toContain(result.type);
  });
});

describe("an account that is not well", () => {
  const ends = [
    ["suspended", "suspended"],
    ["locked", "locked"],
  ] as const;
  for (const [standing, word] of ends) {
    it(`stops loudly when it is ${standing}, and says what to do`, async () => {
      const { errors, log } = loudLog();
      const { simulator, bot, deliver } = await connect({ parts: { log } });
      bot.setStanding(standing);
      await until(() => expect(errors.join()).toContain(word));
      const asked = simulator.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(simulator.requests.length - asked).toBeLessThanOrEqual(1);
      expect(await deliver("feed", "Hello?")).toMatchObject({ type: "not-sent" });
      expect(errors).toHaveLength(1);
    });
  }

  it("does not start with keys that were taken back, or that are another account's", async () => {
    const simulator = await openTwitter();
    const bot = simulator.createUser({ username: "ada_bot" });
    const credentials = simulator.credentials(bot);
    simulator.revoke(bot);
    const start = (options: object) =>
      clientOf(simulator, bot, { options }).start(async () => undefined, new AbortController().signal);
    await expect(start({ credentials })).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("troupe login twitter"),
    });
    await expect(start({ account: "42" })).rejects.toMatchObject({ code: "conflict" });
  });

  it("goes on when X was in trouble for a while", async () => {
    const simulator = await openTwitter();
    const bot = simulator.createUser({ username: "ada_bot" });
    const bo = simulator.createUser({ username: "bo" });
    simulator.faults.add({ match: "GET /2/users/me", fault: { type: "answer", answer: { status: 503, body: "" } } });
    simulator.faults.add({ match: "GET /2/users/me", fault: { type: "drop", when: "before" } });
    const stage = await connect({}, { simulator, bot });
    simulator.faults.add({
      match: "GET /2/users/*/mentions",
      fault: { type: "answer", answer: { status: 500, body: "" } },
      times: 3,
    });
    bo.post("@ada_bot hello");
    expect((await stage.nth(0)).memory.content.text).toBe("@Ada hello");
  });
});

describe("what came while nobody listened", () => {
  it("is heard once, oldest first, and what is too old is not to be answered", async () => {
    const clock = createSetClock(Date.UTC(2026, 5, 1));
    const simulator = await openTwitter({ clock });
    const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
    const bo = simulator.createUser({ username: "bo" });
    const state = createState();
    const parts = { state, clock: { ...hastyClock, now: clock.now } };
    bo.post("@ada_bot before you were there");
    await clock.advance(1_000);
    const first = await connect({ parts }, { simulator, bot });
    bo.post("@ada_bot one");
    await first.nth(0);
    await until(async () => expect(await state.get("cursor/mentions")).not.toBeNull());
    first.stop();
    await clock.advance(60_000);
    bo.post("@ada_bot two");
    await clock.advance(30 * 3_600_000);
    for (let n = 0; n < 130; n += 1) bo.post(`@ada_bot number ${n}`);
    const second = await connect({ parts }, { simulator, bot });
    await second.nth(130);
    const texts = second.heard.map(({ memory }) => memory.content.text.replace("@Ada ", ""));
    const fresh = texts.filter((text) => text !== "one");
    expect(fresh).toEqual(["two", ...Array.from({ length: 130 }, (_, n) => `number ${n}`)]);
    const late = (inbound: Inbound | undefined) => inbound?.memory.metadata?.["late"] === true;
    const byText = (text: string) => second.heard.find(({ memory }) => memory.content.text === `@Ada ${text}`);
    expect([late(byText("two")), late(byText("number 0"))]).toEqual([true, false]);
  });

  it("moves no cursor by the account's own posts, and keeps a hanging room from delaying another", async () => {
    const slow = Promise.withResolvers<void>();
    const stage = await connect({
      receive: async (told) => {
        if ("memory" in told && told.memory.content.text.includes("slow")) await slow.promise;
      },
    });
    const { simulator, bot } = stage;
    const bo = simulator.createUser({ username: "bo" });
    bo.post("@ada_bot slow one");
    bot.post("@ada_bot talking to myself");
    bo.post("@ada_bot quick one");
    expect((await stage.nth(0)).memory.content.text).toBe("@Ada quick one");
    slow.resolve();
    expect((await stage.nth(1)).memory.content.text).toBe("@Ada slow one");
    expect(stage.heard).toHaveLength(2);
  });
});
