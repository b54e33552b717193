import { describe, expect, it } from "vitest";
import { clientOf, refusal, setClock, start } from "./testing/setup.ts";

describe("a post", () => {
  it("is written by the client and seen by everybody", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const { data } = await client.v2.tweet("Hello, world");
    expect(data).toMatchObject({ text: "Hello, world", edit_history_tweet_ids: [data.id] });
    expect(bot.posts().map(({ id }) => id)).toEqual([data.id]);
    expect(x.posts()).toHaveLength(1);
    const read = await client.v2.singleTweet(data.id, {
      "tweet.fields": ["author_id", "conversation_id", "created_at"],
    });
    expect(read.data).toMatchObject({ author_id: bot.id, conversation_id: data.id });
  });

  it("shows links shortened, signs escaped and everything found in the text", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const { data } = await client.v2.tweet("a & b < c 😀 https://example.com/some/long/path @ada #one $TWO");
    expect(data.text).toMatch(/^a &amp; b &lt; c 😀 https:\/\/t\.co\/\w{10} @ada #one \$TWO$/);
    const read = await client.v2.singleTweet(data.id, { "tweet.fields": ["entities"] });
    const entities = read.data.entities;
    const part = ({ start: from, end }: { start: number; end: number }): string =>
      [...data.text].slice(from, end).join("");
    expect(entities?.urls[0]).toMatchObject({ expanded_url: "https://example.com/some/long/path" });
    expect(entities?.urls.map(part)).toEqual([entities?.urls[0]?.url]);
    expect(entities?.mentions).toMatchObject([{ username: "ada", id: ada.id }]);
    expect(entities?.mentions.map(part)).toEqual(["@ada"]);
    expect(entities?.hashtags.map(part)).toEqual(["#one"]);
    expect(entities?.cashtags.map(part)).toEqual(["$TWO"]);
  });

  it("is refused when it is longer than 280, links counting 23 and emoji 2", async () => {
    const x = await start();
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const link = `https://example.com/${"x".repeat(300)}`;
    await client.v2.tweet(`${"a".repeat(256)} ${link}`);
    expect(await refusal(client.v2.tweet(`${"a".repeat(257)} ${link}`))).toMatchObject({ code: 403 });
    await client.v2.tweet("😀".repeat(140));
    const tooLong = await refusal(client.v2.tweet("😀".repeat(141)));
    expect(tooLong).toMatchObject({ code: 403, data: { title: "Forbidden", type: "about:blank", status: 403 } });
    expect(tooLong.data["detail"]).toContain("too long");
    expect(await refusal(client.v2.tweet("  "))).toMatchObject({ code: 400 });
  });

  it("is refused when the same was posted within a day, and not when that was deleted", async () => {
    const clock = setClock();
    const x = await start({ clock });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const { data } = await client.v2.tweet("again");
    expect(await refusal(client.v2.tweet("again"))).toMatchObject({
      code: 403,
      data: { detail: "You are not allowed to create a Tweet with duplicate content." },
    });
    clock.advance(25 * 60 * 60_000);
    const second = await client.v2.tweet("again");
    expect(BigInt(second.data.id)).toBeGreaterThan(BigInt(data.id));
    expect(await client.v2.deleteTweet(second.data.id)).toEqual({ data: { deleted: true } });
    await client.v2.tweet("again");
    expect(x.posts()).toHaveLength(2);
  });

  it("is gone when it was deleted, with its reposts, and only by its author", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    const client = clientOf(x, bot);
    const { data } = await client.v2.tweet("short");
    ada.repost(data.id);
    expect(await refusal(clientOf(x, ada).v2.deleteTweet(data.id))).toMatchObject({ code: 403 });
    await client.v2.deleteTweet(data.id);
    expect(ada.posts()).toEqual([]);
    const read = await client.v2.singleTweet(data.id);
    expect(read.data).toBeUndefined();
    expect(read.errors).toMatchObject([
      { title: "Not Found Error", resource_type: "tweet", type: expect.stringContaining("resource-not-found") },
    ]);
  });

  it("comes with others in one call, and what is missing beside them", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const shy = x.createUser({ username: "shy", isProtected: true });
    const [one, two] = [ada.post("one"), shy.post("two")];
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const read = await client.v2.tweets([one.id, two.id, "123"]);
    expect(read.data.map(({ id }) => id)).toEqual([one.id]);
    expect(read.errors?.map(({ title }) => title)).toEqual(["Authorization Error", "Not Found Error"]);
  });
});

describe("a reply", () => {
  it("continues the conversation and names whom it answers", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const ada = x.createUser({ username: "ada" });
    const first = ada.post("What do you think, @bot?");
    const client = clientOf(x, bot);
    const { data } = await client.v2.reply("A lot.", first.id);
    expect(data.text).toBe("@ada A lot.");
    const second = ada.post("Like what?", { replyTo: data.id });
    expect(second.text).toBe("@bot Like what?");
    expect(second).toMatchObject({ conversationId: first.id, replyTo: { postId: data.id, userId: bot.id } });
    const read = await client.v2.singleTweet(second.id, {
      expansions: ["referenced_tweets.id", "referenced_tweets.id.author_id", "in_reply_to_user_id"],
      "tweet.fields": ["referenced_tweets", "in_reply_to_user_id", "conversation_id"],
    });
    expect(read.data).toMatchObject({
      conversation_id: first.id,
      in_reply_to_user_id: bot.id,
      referenced_tweets: [{ type: "replied_to", id: data.id }],
    });
    expect(read.includes?.tweets?.[0]).toMatchObject({ id: data.id });
    expect(read.includes?.users?.map(({ username }) => username)).toEqual(["bot"]);
  });

  it("to what was deleted meanwhile is still there, and says what is missing", async () => {
    const x = await start();
    const [ada, bot] = [x.createUser({ username: "ada" }), x.createUser({ username: "bot" })];
    const question = ada.post("Anybody?");
    const reply = bot.post("Me", { replyTo: question });
    ada.delete(question);
    const client = clientOf(x, bot);
    const expansions = ["referenced_tweets.id", "author_id"] as const;
    const read = await client.v2.singleTweet(reply.id, {
      expansions: [...expansions],
      "tweet.fields": ["referenced_tweets"],
    });
    expect(read.data.referenced_tweets).toEqual([{ type: "replied_to", id: question.id }]);
    expect(read.includes).toEqual({ users: [{ id: bot.id, name: "bot", username: "bot" }] });
    expect(read.errors).toMatchObject([{ parameter: "referenced_tweets.id", resource_id: question.id }]);
    bot.setStanding("locked");
    expect(() => bot.post("Anyway")).toThrow("@bot is locked");
  });

  it("does not count the names in front", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const { data } = await client.v2.reply("a".repeat(280), ada.post("@bot?").id);
    expect(data.text).toHaveLength(285);
  });

  it("is refused where the author has not called for the account, unless everybody may", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const stranger = ada.post("Nobody asked");
    const detail = "You can only reply to or quote posts where you are mentioned or are the author.";
    expect(await refusal(client.v2.reply("Well", stranger.id))).toMatchObject({ code: 403, data: { detail } });
    expect(await refusal(client.v2.quote("Well", stranger.id))).toMatchObject({ code: 403, data: { detail } });
    const own = await client.v2.tweet("My own");
    await client.v2.reply("goes on", own.data.id);
    const quoting = ada.post("Look at this", { quote: own.data.id });
    await client.v2.reply("Thanks", quoting.id);
    const free = await start({ replies: "everybody" });
    const post = free.createUser({ username: "ada" }).post("Nobody asked");
    await clientOf(free, free.createUser({ username: "bot" })).v2.reply("Well", post.id);
  });

  it("is refused by reply settings, blocks and deletion", async () => {
    const x = await start({ replies: "everybody" });
    const ada = x.createUser({ username: "ada" });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const closed = ada.post("Friends only", { replySettings: "following" });
    const detail = expect.stringContaining("not been mentioned or otherwise engaged");
    expect(await refusal(client.v2.reply("Hi", closed.id))).toMatchObject({ code: 403, data: { detail } });
    ada.follow(bot);
    await client.v2.reply("Hi", closed.id);
    const gone = ada.post("Gone");
    ada.delete(gone);
    const deleted = await refusal(client.v2.reply("Hi?", gone.id));
    expect(deleted.data["detail"]).toBe("You attempted to reply to a Tweet that is deleted or not visible to you.");
    ada.block(bot);
    expect(await refusal(client.v2.reply("Hi!", closed.id))).toMatchObject({ code: 403 });
  });
});

describe("a quote and a repost", () => {
  it("point at what they are of", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const original = ada.post(`@bot ${"long ".repeat(50)}`);
    const quote = await client.v2.quote("True", original.id);
    expect(quote.data.text).toMatch(/^True https:\/\/t\.co\/\w{10}$/);
    await client.v2.retweet(bot.id, original.id);
    expect(await client.v2.retweet(bot.id, original.id)).toMatchObject({ data: { retweeted: true } });
    const [, repost] = bot.posts();
    expect(repost?.text).toMatch(/^RT @ada: @bot long .*…$/);
    expect([...(repost?.text ?? "")]).toHaveLength(140);
    const metrics = await client.v2.singleTweet(original.id, { "tweet.fields": ["public_metrics"] });
    expect(metrics.data.public_metrics).toMatchObject({ retweet_count: 1, quote_count: 1 });
    const quotes = await client.v2.quotes(original.id);
    expect(quotes.tweets.map(({ id }) => id)).toEqual([quote.data.id]);
    expect((await client.v2.tweetRetweetedBy(original.id)).data.map(({ username }) => username)).toEqual(["bot"]);
    await client.v2.unretweet(bot.id, original.id);
    expect(bot.posts()).toHaveLength(1);
    const shy = x.createUser({ username: "shy", isProtected: true });
    shy.acceptFollower(bot);
    bot.follow(shy);
    shy.acceptFollower(bot);
    expect(await refusal(client.v2.retweet(bot.id, shy.post("secret").id))).toMatchObject({ code: 403 });
  });
});

describe("a like", () => {
  it("holds once, and is taken back", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const post = ada.post("Nice");
    expect(await client.v2.like(bot.id, post.id)).toEqual({ data: { liked: true } });
    expect(await client.v2.like(bot.id, post.id)).toEqual({ data: { liked: true } });
    expect(x.likesOf(post)).toEqual(["bot"]);
    expect((await client.v2.tweetLikedBy(post.id)).data.map(({ username }) => username)).toEqual(["bot"]);
    expect((await client.v2.userLikedTweets(bot.id)).tweets.map(({ id }) => id)).toEqual([post.id]);
    expect(await client.v2.unlike(bot.id, post.id)).toEqual({ data: { liked: false } });
    expect(x.likesOf(post)).toEqual([]);
    expect(await refusal(client.v2.like(bot.id, "1"))).toMatchObject({ code: 404 });
    expect(await refusal(client.v2.like(ada.id, post.id))).toMatchObject({ code: 400 });
  });
});

describe("media", () => {
  it("is uploaded in parts, described and posted", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    const bytes = Buffer.from(Array.from({ length: 2500 }, (_, index) => index % 256));
    const id = await client.v2.uploadMedia(bytes, { media_type: "image/png" as never }, 1000);
    await client.v2.createMediaMetadata(id, { alt_text: { text: "Noise" } });
    const { data } = await client.v2.tweet("Look", { media: { media_ids: [id] } });
    expect(data.text).toMatch(/^Look https:\/\/t\.co\/\w{10}$/);
    const read = await client.v2.singleTweet(data.id, {
      expansions: ["attachments.media_keys"],
      "media.fields": ["alt_text", "url"],
      "tweet.fields": ["attachments"],
    });
    expect(read.data.attachments).toEqual({ media_keys: [`3_${id}`] });
    expect(read.includes?.media).toMatchObject([{ media_key: `3_${id}`, type: "photo", alt_text: "Noise" }]);
    expect(await refusal(client.v2.tweet("No", { media: { media_ids: ["1"] } }))).toMatchObject({ code: 400 });
  });

  it("is not ready before it is whole and worked on", async () => {
    const clock = setClock();
    const x = await start({ clock, videoProcessingMs: 5000 });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const opened = await client.v2.post<{ data: { id: string } }>("media/upload/initialize", {
      media_type: "video/mp4",
      total_bytes: 3,
      media_category: "tweet_video",
    });
    const { id } = opened.data;
    expect(await refusal(client.v2.post(`media/upload/${id}/finalize`))).toMatchObject({ code: 400 });
    const chunk = { segment_index: 0, media: Buffer.from("abc") };
    await client.v2.post(`media/upload/${id}/append`, chunk, { forceBodyMode: "form-data" });
    const finalized = await client.v2.post(`media/upload/${id}/finalize`);
    expect(finalized).toMatchObject({ data: { processing_info: { state: "in_progress", check_after_secs: 5 } } });
    expect(await refusal(client.v2.tweet("Film", { media: { media_ids: [id] } }))).toMatchObject({ code: 400 });
    clock.advance(5000);
    expect(await client.v2.get("media/upload", { command: "STATUS", media_id: id })).toMatchObject({
      data: { processing_info: { state: "succeeded" } },
    });
    await client.v2.tweet("Film", { media: { media_ids: [id] } });
  });
});
