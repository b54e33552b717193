import { once } from "node:events";
import { type Client, Events, type ForumChannel, type Message, type TextChannel, type ThreadChannel } from "discord.js";
import { expect, test } from "vitest";
import { ask, login, startScene } from "./testing/scene.ts";

async function hear(client: Client): Promise<Message> {
  return ((await once(client, Events.MessageCreate)) as [Message])[0];
}

test("a direct message reaches the bot and is answered there", async () => {
  const { simulator, mira, bot } = await startScene();
  const client = await login(simulator);
  const heard = hear(client);
  const asked = mira.tell(bot, "Psst");
  const message = await heard;
  expect([message.content, message.channel.isDMBased(), message.guild]).toEqual(["Psst", true, null]);
  await message.reply("Yes?");
  expect((await mira.directMessages(bot).botMessage({ after: asked })).content).toBe("Yes?");
});

test("a bot opens direct messages itself, but not to whom they are closed and not to strangers", async () => {
  const { simulator, mira } = await startScene();
  const client = await login(simulator);
  const sent = await client.users.send(mira.id, "Hello");
  expect(sent.channel.isDMBased()).toBe(true);
  mira.setDirectMessages(false);
  await expect(client.users.send(mira.id, "Hello?")).rejects.toMatchObject({ code: 50007 });
  const stranger = simulator.createUser({ name: "stranger" });
  await expect(client.users.send(stranger.id, "Hello")).rejects.toMatchObject({ code: 50278 });
});

test("a thread is begun at a message by either side, and talk in it is heard", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  const begun = once(client, Events.ThreadCreate);
  const thread = mira.startThread(mira.say(general, "A long story"), "story");
  expect(((await begun) as [ThreadChannel])[0].name).toBe("story");
  const heard = new Promise<Message>((resolve) => {
    client.on(Events.MessageCreate, (message) => {
      if (!message.system) resolve(message);
    });
  });
  mira.say(thread, "Once upon a time");
  const message = await heard;
  expect([message.channel.isThread(), message.channelId]).toEqual([true, thread.id]);
  await message.reply("Go on");
  expect((await thread.botMessage({ matches: ({ content }) => content !== "" })).content).toBe("Go on");
  const other = mira.say(general, "Another");
  const channel = (await client.channels.fetch(general.id)) as TextChannel;
  const own = await (await channel.messages.fetch(other.id)).startThread({ name: "other" });
  expect(own.id).toBe(other.id);
  expect(
    (await ask(simulator, `POST /channels/${general.id}/messages/${other.id}/threads`, { name: "again" })).json["code"],
  ).toBe(160_004);
});

test("a forum has posts, not messages", async () => {
  const { simulator, guild, mira } = await startScene();
  const forum = guild.createChannel({ name: "help", type: "forum", tags: ["boats"] });
  const client = await login(simulator);
  const heard = hear(client);
  const post = mira.post(forum, { name: "My boat leaks", content: "What can I do?", tags: forum.tags });
  const question = await heard;
  expect([question.content, question.channelId, question.id]).toEqual(["What can I do?", post.id, post.id]);
  await question.reply("Bail");
  expect((await post.botMessage()).content).toBe("Bail");
  const own = await ((await client.channels.fetch(forum.id)) as ForumChannel).threads.create({
    name: "News",
    message: { content: "None" },
  });
  expect((await own.fetchStarterMessage())?.content).toBe("None");
  expect((await ask(simulator, `POST /channels/${forum.id}/messages`, { content: "x" })).json["code"]).toBe(40058);
});

test("a private thread is for whom it was shown", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const thread = mira.createThread(general, "secret", "private");
  mira.say(thread, "Nobody knows");
  expect((await ask(simulator, `GET /channels/${thread.id}/messages`)).json["code"]).toBe(50001);
  const client = await login(simulator);
  const channel = (await client.channels.fetch(general.id)) as TextChannel;
  const own = await channel.threads.create({ name: "ours", type: 12 });
  await own.members.add(mira.id);
  mira.say({ id: own.id }, "Here I am");
  expect(simulator.channel(own.id).messages()[0]?.content).toBe("Here I am");
  expect(bot.id).toBe(own.ownerId);
});

test("threads are put away, listed, and come back when somebody speaks", async () => {
  const { simulator, guild, general, mira } = await startScene();
  const thread = mira.startThread(mira.say(general, "x"), "old");
  const list = async (path: string): Promise<string[]> =>
    Array.from((await ask(simulator, `GET ${path}`)).json["threads"] as { name: string }[]).map(({ name }) => name);
  expect(await list(`/guilds/${guild.id}/threads/active`)).toEqual(["old"]);
  thread.setArchived(true);
  expect(await list(`/guilds/${guild.id}/threads/active`)).toEqual([]);
  expect(await list(`/channels/${general.id}/threads/archived/public`)).toEqual(["old"]);
  await ask(simulator, `POST /channels/${thread.id}/messages`, { content: "x" });
  expect(thread.isArchived).toBe(false);
  thread.setLocked(true);
  expect((await ask(simulator, `POST /channels/${thread.id}/messages`, { content: "x" })).json["code"]).toBe(160_005);
});

test("channels come, change and go while the bot looks on", async () => {
  const { simulator, guild } = await startScene();
  const client = await login(simulator);
  const created = once(client, Events.ChannelCreate);
  const quay = guild.createChannel({ name: "quay", topic: "ships" });
  expect(((await created) as [TextChannel])[0].topic).toBe("ships");
  const updated = once(client, Events.ChannelUpdate);
  quay.rename("pier");
  expect(((await updated) as [TextChannel, TextChannel])[1].name).toBe("pier");
  const gone = once(client, Events.ChannelDelete);
  quay.delete();
  await gone;
  expect((await ask(simulator, `POST /channels/${quay.id}/messages`, { content: "x" })).json["code"]).toBe(10003);
});

test("stickers, notices and welcomes are told as such", async () => {
  const { simulator, guild, general, mira } = await startScene();
  const client = await login(simulator);
  const heard = hear(client);
  mira.say(general, { stickers: [guild.createSticker("wave")] });
  expect((await heard).stickers.first()?.name).toBe("wave");
  guild.welcomeIn(general);
  const welcomed = hear(client);
  guild.add(simulator.createUser({ name: "tom" }));
  expect((await welcomed).system).toBe(true);
});

test("members are found by id and by name, and listed with the intent only", async () => {
  const { simulator, guild, mira } = await startScene({
    bots: [{ token: "t" }, { token: "plain", privilegedIntents: [] }],
  });
  const path = `/guilds/${guild.id}/members`;
  expect((await ask(simulator, `GET ${path}/${mira.id}`)).json).toMatchObject({ user: { username: "mira" } });
  expect((await ask(simulator, `GET ${path}/1`)).json["code"]).toBe(10013);
  expect((await ask(simulator, `GET ${path}/search?query=mi`)).json).toMatchObject([{ user: { id: mira.id } }]);
  expect((await ask(simulator, `GET ${path}?limit=10`)).json).toHaveLength(4);
  expect((await ask(simulator, `GET ${path}?limit=10`, undefined, "plain")).json["code"]).toBe(50001);
});
