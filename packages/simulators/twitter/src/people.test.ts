import { describe, expect, it } from "vitest";
import { clientOf, refusal, start } from "./testing/setup.ts";

describe("accounts", () => {
  it("are looked up by id and name, with what was asked for", async () => {
    const x = await start();
    const ada = x.createUser({ username: "Ada", name: "Ada L.", description: "Counts", isVerified: true });
    const bot = x.createUser({ username: "bot" });
    ada.edit({ pinnedPostId: ada.post("Pinned").id });
    bot.follow(ada);
    const client = clientOf(x, bot);
    const read = await client.v2.userByUsername("ada", {
      "user.fields": ["description", "public_metrics", "verified", "protected", "created_at"],
      expansions: ["pinned_tweet_id"],
    });
    expect(read.data).toMatchObject({
      id: ada.id,
      username: "Ada",
      name: "Ada L.",
      description: "Counts",
      verified: true,
      protected: false,
      public_metrics: { followers_count: 1, tweet_count: 1 },
    });
    expect(read.includes?.tweets).toMatchObject([{ text: "Pinned" }]);
    expect((await client.v2.users([ada.id, bot.id])).data.map(({ username }) => username)).toEqual(["Ada", "bot"]);
    const some = await client.v2.usersByUsernames(["bot", "nobody"]);
    expect(some.data).toHaveLength(1);
    expect(some.errors).toMatchObject([{ title: "Not Found Error", resource_type: "user", value: "nobody" }]);
    expect(await refusal(client.v2.users(["x"]))).toMatchObject({ code: 400 });
  });

  it("follow, mute and block each other", async () => {
    const x = await start();
    const [ada, bot] = [x.createUser({ username: "ada" }), x.createUser({ username: "bot" })];
    const client = clientOf(x, bot);
    expect(await client.v2.follow(bot.id, ada.id)).toEqual({ data: { following: true, pending_follow: false } });
    expect(bot.following()).toEqual(["ada"]);
    expect((await client.v2.followers(ada.id)).data.map(({ id }) => id)).toEqual([bot.id]);
    expect((await client.v2.following(bot.id)).data.map(({ id }) => id)).toEqual([ada.id]);
    await client.v2.unfollow(bot.id, ada.id);
    expect(bot.following()).toEqual([]);
    await client.v2.mute(bot.id, ada.id);
    expect((await client.v2.userMutingUsers(bot.id)).users).toHaveLength(1);
    await client.v2.unmute(bot.id, ada.id);
    await client.v2.block(bot.id, ada.id);
    expect((await client.v2.userBlockingUsers(bot.id)).users).toHaveLength(1);
    await client.v2.unblock(bot.id, ada.id);
    expect(await refusal(client.v2.follow(bot.id, "12"))).toMatchObject({ code: 404 });
    expect(await refusal(client.v2.follow(bot.id, bot.id))).toMatchObject({ code: 403 });
    ada.block(bot);
    const blocked = await refusal(client.v2.follow(bot.id, ada.id));
    expect(blocked.data["detail"]).toContain("You have been blocked");
  });

  it("have names nobody else has", async () => {
    const x = await start();
    x.createUser({ username: "ada" });
    expect(() => x.createUser({ username: "ADA" })).toThrow("@ADA is taken");
    expect(() => x.createUser({ username: "a b" })).toThrow("is no username");
    expect(x.user("ADA")?.username).toBe("ada");
    expect(x.user("bob")).toBeUndefined();
  });
});

describe("direct messages", () => {
  it("are written and read in their conversation", async () => {
    const x = await start();
    const [ada, bot] = [x.createUser({ username: "ada" }), x.createUser({ username: "bot" })];
    const client = clientOf(x, bot);
    const refused = await refusal(client.v2.sendDmToParticipant(ada.id, { text: "Hi" }));
    expect(refused).toMatchObject({
      code: 403,
      data: { detail: expect.stringContaining("do not have permission to DM") },
    });
    bot.edit({ takesDirectMessages: true });
    ada.message(bot, "Hello & <welcome>");
    const sent = await client.v2.sendDmToParticipant(ada.id, { text: "Hi" });
    expect(sent).toMatchObject({
      data: { dm_conversation_id: `${ada.id}-${bot.id}`, dm_event_id: expect.any(String) },
    });
    await client.v2.sendDmInConversation(`${ada.id}-${bot.id}`, { text: "How are you?" });
    expect(ada.messagesWith(bot).map(({ text }) => text)).toEqual([
      "Hello &amp; &lt;welcome&gt;",
      "Hi",
      "How are you?",
    ]);
    const events = await client.v2.listDmEvents({
      "dm_event.fields": ["sender_id", "dm_conversation_id", "created_at"],
      expansions: ["sender_id"],
    });
    expect(events.events.map((event) => event.sender_id)).toEqual([bot.id, bot.id, ada.id]);
    expect(events.includes.users).toHaveLength(2);
    const paged = await client.v2.listDmEventsWithParticipant(ada.id, { max_results: 1 });
    while (!paged.done) await paged.fetchNext();
    expect(paged.events).toHaveLength(3);
  });

  it("go to several at once", async () => {
    const x = await start();
    const [ada, bob, bot] = ["ada", "bob", "bot"].map((username) =>
      x.createUser({ username, takesDirectMessages: true }),
    );
    if (!ada || !bob || !bot) throw new Error("three users");
    const client = clientOf(x, bot);
    const made = await client.v2.createDmConversation({
      conversation_type: "Group",
      participant_ids: [ada.id, bob.id],
      message: { text: "All of you" },
    });
    const id = (made as unknown as { data: { dm_conversation_id: string } }).data.dm_conversation_id;
    const events = await client.v2.listDmEventsOfConversation(id);
    expect(events.events.map(({ event_type }) => event_type)).toEqual(["MessageCreate", "ParticipantsJoin"]);
  });
});
