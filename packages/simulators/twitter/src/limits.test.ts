import { describe, expect, it } from "vitest";
import { clientOf, refusal, setClock, start } from "./testing/setup.ts";

const minuteMs = 60_000;

describe("a limit", () => {
  it("holds for a quarter of an hour, with headers that say so", async () => {
    const clock = setClock();
    const x = await start({ clock, limits: { "POST /2/tweets": { user: 2, userDay: 3, appDay: 100 } } });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const first = await client.v2.post("tweets", { text: "1" }, { fullResponse: true });
    const reset = Math.ceil((clock.now() + 15 * minuteMs) / 1000);
    expect(first.rateLimit).toMatchObject({
      limit: 2,
      remaining: 1,
      reset,
      day: { limit: 100, remaining: 99 },
      userDay: { limit: 3, remaining: 2 },
    });
    await client.v2.tweet("2");
    const refused = await refusal(client.v2.tweet("3"));
    expect(refused).toMatchObject({
      code: 429,
      rateLimit: { limit: 2, remaining: 0, reset },
      data: { title: "Too Many Requests", detail: "Too Many Requests", type: "about:blank", status: 429 },
    });
    clock.advance(15 * minuteMs);
    await client.v2.tweet("3");
    clock.advance(15 * minuteMs);
    const day = await refusal(client.v2.tweet("4"));
    expect(day).toMatchObject({ code: 429, rateLimit: { remaining: 2, userDay: { remaining: 0 } } });
    clock.advance(24 * 60 * minuteMs);
    await client.v2.tweet("4");
    expect(x.posts()).toHaveLength(4);
  });

  it("is each user's own, and each endpoint's", async () => {
    const x = await start({ limits: { "GET /2/users/me": { user: 1 } } });
    const [ada, bob] = [x.createUser({ username: "ada" }), x.createUser({ username: "bob" })];
    const client = clientOf(x, ada);
    await client.v2.me();
    expect(await refusal(client.v2.me())).toMatchObject({ code: 429 });
    await clientOf(x, bob).v2.me();
    await client.v2.user(ada.id);
  });

  it("is emptied by hand for a test", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    x.leaveRequests("GET /2/users/:id/mentions", 1);
    const client = clientOf(x, bot);
    const page = await client.v2.userMentionTimeline(bot.id);
    expect(page.rateLimit).toMatchObject({ limit: 300, remaining: 0 });
    expect(await refusal(client.v2.userMentionTimeline(bot.id))).toMatchObject({ code: 429 });
  });
});

describe("an account", () => {
  it("makes only so many posts a day, whichever app it uses", async () => {
    const clock = setClock();
    const x = await start({ clock, postsPerDay: 2 });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    bot.post("at the screen");
    await client.v2.tweet("one");
    const detail = "User is over daily status update limit.";
    expect(await refusal(client.v2.tweet("two"))).toMatchObject({ code: 403, data: { detail } });
    clock.advance(24 * 60 * minuteMs);
    await client.v2.tweet("two");
  });
});

describe("the meter", () => {
  it("counts what was read once a day, and what was done each time", async () => {
    const clock = setClock();
    const x = await start({ clock });
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    ada.post("@bot one");
    ada.post("@bot two");
    const client = clientOf(x, bot);
    await client.v2.userMentionTimeline(bot.id, { expansions: ["author_id"] });
    expect(x.meter.byKind()).toEqual({ "post-read": 0.01, "user-read": 0.01 });
    await client.v2.userMentionTimeline(bot.id, { expansions: ["author_id"] });
    expect(x.meter.totalUsd).toBe(0.02);
    clock.advance(24 * 60 * minuteMs);
    await client.v2.userMentionTimeline(bot.id);
    expect(x.meter.totalUsd).toBe(0.03);
    await client.v2.tweet("plain");
    await client.v2.tweet("with https://example.com");
    expect(x.meter.byKind()).toMatchObject({ "post-create": 0.015, "post-create-with-link": 0.2 });
    await refusal(client.v2.tweet("plain"));
    expect(x.meter.totalUsd).toBe(0.245);
    x.meter.reset();
    expect(x.meter).toMatchObject({ totalUsd: 0, charges: [] });
  });

  it("reads one's own for less", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const app = x.createApp();
    x.setOwner(app, bot);
    for (let index = 0; index < 5; index += 1) bot.post(`Mine ${index}`);
    await clientOf(x, bot, app).v2.userTimeline(bot.id);
    expect(x.meter.byKind()).toEqual({ "owned-read": 0.005 });
  });

  it("ends with the credit, or the month's posts", async () => {
    const x = await start({ creditUsd: 0.02 });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    await client.v2.tweet("1");
    await client.v2.tweet("2");
    expect(await refusal(client.v2.tweet("3"))).toMatchObject({ code: 402, data: { title: "CreditsDepleted" } });
    x.setCredit(1);
    await client.v2.tweet("3");
    const capped = await start({ monthlyPosts: 1, clock: setClock() });
    const ada = capped.createUser({ username: "ada" });
    ada.post("one");
    const reader = clientOf(capped, ada);
    await reader.v2.userTimeline(ada.id);
    expect(await refusal(reader.v2.userTimeline(ada.id))).toMatchObject({
      code: 429,
      data: { title: "UsageCapExceeded", period: "Monthly" },
    });
  });
});
