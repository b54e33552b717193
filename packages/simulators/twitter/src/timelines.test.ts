import { describe, expect, it } from "vitest";
import { clientOf, refusal, setClock, start } from "./testing/setup.ts";

describe("mentions", () => {
  it("are polled with since_id, newest first, and an empty page is only a count", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    const client = clientOf(x, bot);
    const none = await client.v2.userMentionTimeline(bot.id);
    expect(none.data).toEqual({ meta: { result_count: 0 } });
    const posts = [1, 2, 3].map((number) => ada.post(`Hey @Bot, ${number}`));
    bot.post("Me, @bot");
    const page = await client.v2.userMentionTimeline(bot.id, { expansions: ["author_id"] });
    expect(page.data.data.map(({ id }) => id)).toEqual(posts.map(({ id }) => id).reverse());
    expect(page.data.meta).toEqual({ result_count: 3, newest_id: posts[2]?.id, oldest_id: posts[0]?.id });
    expect(page.data.includes?.users).toEqual([{ id: ada.id, name: "ada", username: "ada" }]);
    const since = { since_id: page.data.meta.newest_id };
    expect((await client.v2.userMentionTimeline(bot.id, since)).data.meta.result_count).toBe(0);
    const answer = ada.post("And now?", { replyTo: bot.post("Yes?") });
    const later = await client.v2.userMentionTimeline(bot.id, since);
    expect(later.data.data.map(({ id }) => id)).toEqual([answer.id]);
  });

  it("of protected accounts are seen by their followers only", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const shy = x.createUser({ username: "shy", isProtected: true });
    const client = clientOf(x, bot);
    shy.post("@bot psst");
    expect((await client.v2.userMentionTimeline(bot.id)).data.meta.result_count).toBe(0);
    expect(await client.v2.follow(bot.id, shy.id)).toEqual({ data: { following: false, pending_follow: true } });
    shy.acceptFollower(bot);
    expect((await client.v2.userMentionTimeline(bot.id)).data.meta.result_count).toBe(1);
  });
});

describe("pages", () => {
  it("lead on by tokens until everything was seen once, also while new posts come", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    bot.follow(ada);
    const posts = Array.from({ length: 23 }, (_, index) => ada.post(`Thought ${index}`));
    const home = await clientOf(x, bot).v2.homeTimeline({ max_results: 10 });
    expect(home.tweets).toHaveLength(10);
    ada.post("A new one");
    while (!home.done) await home.fetchNext();
    expect(home.tweets.map(({ id }) => id)).toEqual(posts.map(({ id }) => id).reverse());
  });

  it("lead back as well", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    for (let index = 0; index < 12; index += 1) ada.post(`Thought ${index}`);
    const client = clientOf(x, ada);
    const first = await client.v2.userTimeline(ada.id, { max_results: 5 });
    const second = await client.v2.userTimeline(ada.id, {
      max_results: 5,
      pagination_token: first.meta.next_token ?? "",
    });
    const previous = second.meta.previous_token ?? "";
    const back = await client.v2.userTimeline(ada.id, { max_results: 5, pagination_token: previous });
    expect(back.tweets).toEqual(first.tweets);
    expect(first.meta.previous_token).toBeUndefined();
  });

  it("are refused outside their bounds", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const tooMany = await refusal(client.v2.userMentionTimeline(bot.id, { max_results: 101 }));
    expect(tooMany).toMatchObject({
      code: 400,
      data: {
        title: "Invalid Request",
        errors: [{ message: "The `max_results` query parameter value [101] is not between 5 and 100" }],
      },
    });
    for (const query of [{ pagination_token: "x" }, { since_id: "x" }, { start_time: "yesterday" }, { what: "1" }]) {
      expect(await refusal(client.v2.userMentionTimeline(bot.id, query as never))).toMatchObject({ code: 400 });
    }
    const fields = { "tweet.fields": "nonsense" };
    expect(await refusal(client.v2.userMentionTimeline(bot.id, fields))).toMatchObject({ code: 400 });
  });

  it("come doubled, out of order or short when that was planned, once", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    const [one, two] = [ada.post("@bot one"), ada.post("@bot two")];
    const client = clientOf(x, bot);
    const endpoint = "GET /2/users/:id/mentions";
    const ids = async (): Promise<string[]> => (await client.v2.userMentionTimeline(bot.id)).tweets.map(({ id }) => id);
    x.pageFaults.add({ endpoint, type: "duplicated" });
    x.pageFaults.add({ endpoint, type: "out-of-order" });
    x.pageFaults.add({ endpoint, type: "shortened" });
    expect(await ids()).toEqual([two.id, two.id, one.id, one.id]);
    expect(await ids()).toEqual([one.id, two.id]);
    expect(await ids()).toEqual([two.id]);
    expect(await ids()).toEqual([two.id, one.id]);
  });
});

describe("the home timeline", () => {
  it("has the posts of whom one follows and one's own, not replies to strangers, nor who is muted", async () => {
    const x = await start();
    const [bot, ada, bob, eve] = ["bot", "ada", "bob", "eve"].map((username) => x.createUser({ username }));
    if (!bot || !ada || !bob || !eve) throw new Error("four users");
    bot.follow(ada);
    bot.follow(bob);
    bot.mute(bob);
    const original = eve.post("From afar");
    const seen = [bot.post("Mine"), ada.post("Hers"), ada.repost(original)];
    ada.post("Answering a stranger", { replyTo: original });
    bob.post("Muted");
    const client = clientOf(x, bot);
    const home = await client.v2.homeTimeline();
    expect(home.tweets.map(({ id }) => id)).toEqual(seen.map(({ id }) => id).reverse());
    const without = await client.v2.homeTimeline({ exclude: ["retweets", "replies"] });
    expect(without.tweets).toHaveLength(2);
  });
});

describe("search", () => {
  it("finds what the query says", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada", isVerified: true });
    const bob = x.createUser({ username: "bob" });
    const a = ada.post("The quick brown fox #Animals https://example.com/fox");
    const b = bob.post("A fox, quick as ever", { replyTo: a });
    const c = bob.post("狐は速い", { quote: a });
    const d = bob.repost(a);
    const client = clientOf(x, bob);
    const find = async (query: string): Promise<string[]> => {
      const names = new Map([a, b, c, d].map((post, index) => [post.id, "abcd"[index] ?? ""]));
      const found = await client.v2.search(query);
      return found.tweets.map(({ id }) => names.get(id) ?? "?").sort();
    };
    expect(await find("fox -is:retweet")).toEqual(["a", "b"]);
    expect(await find('"quick brown"')).toEqual(["a", "d"]);
    expect(await find("fox is:reply")).toEqual(["b"]);
    expect(await find("from:ada OR from:@bob -is:quote")).toEqual(["a", "b", "d"]);
    expect(await find("from:bob lang:ja")).toEqual(["c"]);
    expect(await find("to:ada")).toEqual(["b"]);
    expect(await find("@ada -is:retweet")).toEqual(["b"]);
    expect(await find("#animals -is:retweet")).toEqual(["a"]);
    expect(await find(`conversation_id:${a.id}`)).toEqual(["a", "b"]);
    expect(await find('(fox "as ever") OR (url:"example.com" -is:retweet)')).toEqual(["a", "b"]);
    expect(await find("fox -(from:ada OR is:retweet)")).toEqual(["b"]);
    expect(await find("foxes")).toEqual([]);
  });

  it("looks back seven days and pages on", async () => {
    const clock = setClock();
    const x = await start({ clock });
    const ada = x.createUser({ username: "ada" });
    ada.post("old fox");
    clock.advance(8 * 24 * 60 * 60_000);
    for (let index = 0; index < 25; index += 1) ada.post(`fox ${index}`);
    const found = await clientOf(x, ada).v2.search("fox", { max_results: 10 });
    while (!found.done) await found.fetchNext();
    expect(found.tweets).toHaveLength(25);
  });

  it("refuses queries it cannot understand", async () => {
    const x = await start();
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const queries = [
      "",
      "is:reply",
      "-fox",
      "(fox",
      "fox)",
      "nonsense:1",
      "is:nonsense",
      "a OR",
      '"',
      "x ".repeat(300),
    ];
    for (const query of queries) {
      expect(await refusal(client.v2.search(query)), query).toMatchObject({
        code: 400,
        data: { title: "Invalid Request" },
      });
    }
  });
});
