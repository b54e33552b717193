import { describe, expect, it } from "vitest";
import type { BotHandle, TelegramSimulator, TelegramUpdate } from "./index.ts";
import { call, connect, start } from "./testing/stage.ts";

async function heard(
  simulator: TelegramSimulator,
  bot: BotHandle = simulator.bot(),
): Promise<readonly Record<string, unknown>[]> {
  const updates = (await call(simulator, "getUpdates", { allowed_updates: everything }, bot.token()))
    .result as TelegramUpdate[];
  const last = updates.at(-1)?.update_id;
  if (last !== undefined) await call(simulator, "getUpdates", { offset: last + 1 }, bot.token());
  return updates;
}

const everything = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "my_chat_member",
  "chat_member",
  "message_reaction",
  "callback_query",
];

const texts = (updates: readonly Record<string, unknown>[]) =>
  updates.flatMap(({ message }) =>
    typeof message === "object" && message !== null && "text" in message ? [message.text] : [],
  );

describe("a private chat", () => {
  it("is not begun by a bot", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const { telegram } = connect(simulator);
    await expect(telegram.sendMessage(ada.id, "hello")).rejects.toMatchObject({
      code: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
    });
    await expect(telegram.sendMessage(424242, "hello")).rejects.toMatchObject({
      code: 400,
      description: "Bad Request: chat not found",
    });
    await expect(telegram.sendMessage(simulator.createBot().id, "hello")).rejects.toMatchObject({
      description: "Forbidden: bot can't send messages to bots",
    });
  });

  it("ends when the user blocks the bot, and goes on", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const bot = simulator.bot();
    ada.say(bot, "hi");
    ada.block(bot);
    const { telegram } = connect(simulator);
    await expect(telegram.sendMessage(ada.id, "?")).rejects.toMatchObject({
      code: 403,
      description: "Forbidden: bot was blocked by the user",
    });
    expect(() => ada.say(bot, "still?")).toThrow("unblock it first");
    ada.unblock(bot);
    await telegram.sendMessage(ada.id, "!");
    expect((await heard(simulator)).slice(1)).toMatchObject([
      { my_chat_member: { chat: { id: ada.id }, new_chat_member: { status: "kicked" } } },
      { my_chat_member: { old_chat_member: { status: "kicked" }, new_chat_member: { status: "member" } } },
    ]);
    ada.deactivate();
    await expect(telegram.sendMessage(ada.id, "?")).rejects.toMatchObject({
      description: "Forbidden: user is deactivated",
    });
  });

  it("shares its numbers with the bot's other private chats and basic groups", async () => {
    const simulator = await start();
    const [ada, bea] = [simulator.createUser(), simulator.createUser()];
    const group = simulator.createGroup({ members: [ada, simulator.bot()], isSettled: true });
    const supergroup = simulator.createSupergroup({ members: [ada, simulator.bot()], isSettled: true });
    const ids = [
      ada.say(simulator.bot(), "a"),
      bea.say(simulator.bot(), "b"),
      ada.say(group, "c"),
      ada.say(supergroup, "d"),
    ];
    expect(ids.map((one) => one.message_id)).toEqual([1, 2, 3, 1]);
  });

  it("brings every kind of message", async () => {
    const simulator = await start();
    const ada = simulator.createUser({ firstName: "Ada" });
    const bot = simulator.bot();
    ada.say(bot, { photo: { width: 1200, height: 600 }, caption: "look #here" });
    ada.say(bot, { document: { bytes: Buffer.from("1,2"), name: "a.csv", mediaType: "text/csv" } });
    ada.say(bot, { voice: { durationSeconds: 4 } });
    ada.say(bot, { sticker: { emoji: "👍" } });
    ada.say(bot, { location: { latitude: 1, longitude: 2 } });
    ada.say(bot, { contact: { phoneNumber: "+1", firstName: "Bea" } });
    ada.say(bot, { text: `<a href="tg://user?id=${ada.id}">me</a>`, parseMode: "HTML" });
    const updates = await heard(simulator);
    expect(updates).toMatchObject([
      {
        message: {
          caption: "look #here",
          caption_entities: [{ type: "hashtag" }],
          photo: [{ width: 90 }, { width: 320 }, { width: 800 }, { width: 1200, height: 600 }],
        },
      },
      { message: { document: { file_name: "a.csv", mime_type: "text/csv", file_size: 3 } } },
      { message: { voice: { duration: 4 } } },
      { message: { sticker: { emoji: "👍" } } },
      { message: { location: { latitude: 1 } } },
      { message: { contact: { first_name: "Bea" } } },
      { message: { text: "me", entities: [{ type: "text_mention", user: { id: ada.id } }] } },
    ]);
    const { telegram } = connect(simulator);
    const { document } = updates[1]?.["message"] as { document: { file_id: string } };
    expect(await (await fetch(await telegram.getFileLink(document.file_id))).text()).toBe("1,2");
    ada.say(bot, { document: { bytes: new Uint8Array(20 * 1024 * 1024 + 1) } });
    const [{ message }] = (await heard(simulator)) as [{ message: { document: { file_id: string } } }];
    await expect(telegram.getFile(message.document.file_id)).rejects.toMatchObject({
      description: "Bad Request: file is too big",
    });
    await expect(telegram.getFile("nothing")).rejects.toMatchObject({ description: "Bad Request: invalid file_id" });
  });
});

describe("a group", () => {
  it("shows a bot with privacy mode only what is meant for it", async () => {
    const simulator = await start({ bots: [{ username: "one_bot" }, { username: "two_bot", hasPrivacyMode: false }] });
    const [one, two] = [simulator.bot("one_bot"), simulator.bot("two_bot")];
    const ada = simulator.createUser();
    const stranger = simulator.createUser({ isBot: true });
    const group = simulator.createSupergroup({ members: [ada, one, two, stranger], isSettled: true });
    ada.say(group, "just talk");
    ada.say(group, "/start@one_bot");
    ada.say(group, "/start@two_bot");
    ada.say(group, "hey @One_Bot, you");
    ada.say(group, "/general");
    stranger.say(group, "bots do not hear bots");
    const { telegram } = connect(simulator, one.token());
    await telegram.sendMessage(group.id, "I am one");
    ada.say(group, { text: "to you", replyTo: await group.nextMessage() });
    expect(texts(await heard(simulator, one))).toEqual(["/start@one_bot", "hey @One_Bot, you", "/general", "to you"]);
    expect(texts(await heard(simulator, two))).toEqual([
      "just talk",
      "/start@one_bot",
      "/start@two_bot",
      "hey @One_Bot, you",
      "/general",
      "to you",
    ]);
    ada.promote(group, one);
    ada.say(group, "all of it now");
    expect(texts(await heard(simulator, one))).toEqual(["all of it now"]);
    expect((await telegram.getMe()).can_read_all_group_messages).toBe(false);
  });

  it("tells who comes and goes", async () => {
    const simulator = await start();
    const [ada, bea] = [simulator.createUser({ firstName: "Ada" }), simulator.createUser({ firstName: "Bea" })];
    const bot = simulator.bot();
    const group = simulator.createSupergroup({ members: [ada] });
    await heard(simulator);
    ada.invite(group, bot);
    ada.promote(group, bot);
    bea.join(group);
    bea.leave(group);
    ada.expel(group, bot);
    expect(await heard(simulator)).toMatchObject([
      {
        my_chat_member: {
          from: { id: ada.id },
          old_chat_member: { status: "left" },
          new_chat_member: { status: "member" },
        },
      },
      { message: { new_chat_members: [{ id: bot.id, is_bot: true }] } },
      {
        my_chat_member: {
          new_chat_member: { status: "administrator", can_delete_messages: true, can_manage_topics: true },
        },
      },
      { chat_member: { new_chat_member: { status: "member", user: { id: bea.id } } } },
      { message: { new_chat_members: [{ id: bea.id }] } },
      { message: { left_chat_member: { id: bea.id } } },
      { chat_member: { new_chat_member: { status: "left" } } },
      { message: { left_chat_member: { id: bot.id } } },
      { my_chat_member: { new_chat_member: { status: "kicked" } } },
    ]);
    await expect(connect(simulator).telegram.sendMessage(group.id, "?")).rejects.toMatchObject({
      code: 403,
      description: "Forbidden: bot was kicked from the supergroup chat",
    });
    bot.setCanJoinGroups(false);
    expect(() => ada.invite(group, bot)).toThrow("may not join groups");
  });

  it("becomes a supergroup with another id", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const group = simulator.createGroup({ title: "Club", members: [ada, simulator.bot()], isSettled: true });
    const supergroup = group.upgrade();
    expect(await heard(simulator)).toMatchObject([
      { message: { chat: { id: group.id, type: "group" }, migrate_to_chat_id: supergroup.id } },
      { message: { chat: { id: supergroup.id, type: "supergroup", title: "Club" }, migrate_from_chat_id: group.id } },
    ]);
    const { telegram } = connect(simulator);
    await expect(telegram.sendMessage(group.id, "?")).rejects.toMatchObject({
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: supergroup.id },
    });
    await telegram.sendMessage(supergroup.id, "here");
    expect((await supergroup.nextMessage()).text).toBe("here");
    expect(String(supergroup.id)).toMatch(/^-100\d+$/);
  });

  it("can be looked at, and lets only those write who may", async () => {
    const simulator = await start();
    const ada = simulator.createUser({ firstName: "Ada" });
    const group = simulator.createSupergroup({
      title: "Town",
      username: "town_square",
      members: [ada, simulator.bot()],
      isSettled: true,
    });
    const { telegram } = connect(simulator);
    expect(await telegram.getChat("@Town_Square")).toMatchObject({
      id: group.id,
      title: "Town",
      permissions: { can_send_messages: true },
    });
    expect(await telegram.getChatMember(group.id, ada.id)).toMatchObject({ status: "creator" });
    expect(await telegram.getChatAdministrators(group.id)).toMatchObject([{ user: { first_name: "Ada" } }]);
    expect(await telegram.getChatMembersCount(group.id)).toBe(2);
    group.setPermissions({ can_send_photos: false });
    const photo = await call(simulator, "sendPhoto", { chat_id: group.id, photo: "x" });
    expect(photo.description).toBe("Bad Request: wrong remote file identifier specified: Wrong string length");
    ada.demote(group, simulator.bot(), { can_send_messages: false });
    await expect(telegram.sendMessage("@town_square", "?")).rejects.toMatchObject({
      description: "Bad Request: not enough rights to send text messages to the chat",
    });
    const secret = simulator.createSupergroup({ members: [ada] });
    await expect(telegram.getChat(secret.id)).rejects.toMatchObject({ description: "Bad Request: chat not found" });
  });

  it("shows an answered row of messages as a thread, and forwards from elsewhere", async () => {
    const simulator = await start({ bots: [{ hasPrivacyMode: false }] });
    const ada = simulator.createUser({ firstName: "Ada" });
    const [one, two] = [
      simulator.createSupergroup({ members: [ada, simulator.bot()], isSettled: true }),
      simulator.createSupergroup({ members: [ada, simulator.bot()], isSettled: true }),
    ];
    const first = ada.say(one, "root");
    const second = ada.say(one, { text: "answer", replyTo: first });
    const third = ada.say(one, { text: "answer again", replyTo: second });
    expect(third).toMatchObject({ message_thread_id: first.message_id, reply_to_message: { text: "answer" } });
    expect(third).not.toHaveProperty("is_topic_message");
    expect(third.reply_to_message).not.toHaveProperty("reply_to_message");
    expect(ada.forward(first, two)).toMatchObject({
      chat: { id: two.id },
      text: "root",
      forward_origin: { type: "user" },
    });
    expect(ada.say(two, { text: "about that", replyTo: first })).toMatchObject({
      external_reply: { message_id: first.message_id, chat: { id: one.id } },
    });
  });

  it("lets reactions be counted on", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const group = simulator.createSupergroup({ members: [ada], admins: [simulator.bot()], isSettled: true });
    await heard(simulator);
    const said = ada.say(group, "hm");
    ada.react(said, "👍");
    ada.react(said);
    expect((await heard(simulator)).slice(1)).toMatchObject([
      {
        message_reaction: {
          message_id: said.message_id,
          old_reaction: [],
          new_reaction: [{ type: "emoji", emoji: "👍" }],
        },
      },
      { message_reaction: { old_reaction: [{ emoji: "👍" }], new_reaction: [] } },
    ]);
    group.setReactions(["🔥"]);
    expect(() => ada.react(said, "👍")).toThrow("no reaction that is possible");
    await expect(
      connect(simulator).telegram.setMessageReaction(group.id, said.message_id, [{ type: "emoji", emoji: "👍" }]),
    ).rejects.toMatchObject({
      description: "Bad Request: REACTION_INVALID",
    });
  });
});

describe("a forum", () => {
  it("keeps topics apart, the General one without a name", async () => {
    const simulator = await start({ bots: [{ hasPrivacyMode: false }] });
    const ada = simulator.createUser();
    const forum = simulator.createSupergroup({ isForum: true, members: [ada, simulator.bot()], isSettled: true });
    const topic = forum.createTopic("News");
    expect(ada.say(forum, "in general")).not.toHaveProperty("message_thread_id");
    const said = ada.say(forum, { text: "in news", topic });
    expect(said).toMatchObject({
      message_thread_id: topic,
      is_topic_message: true,
      reply_to_message: { forum_topic_created: { name: "News" } },
    });
    const { telegram } = connect(simulator);
    const answer = await telegram.sendMessage(forum.id, "hi", { reply_parameters: { message_id: said.message_id } });
    expect(answer).toMatchObject({ message_thread_id: topic, is_topic_message: true });
    for (const id of [1, 99]) {
      await expect(telegram.sendMessage(forum.id, "?", { message_thread_id: id })).rejects.toMatchObject({
        description: "Bad Request: message thread not found",
      });
    }
    await telegram.sendChatAction(forum.id, "typing", { message_thread_id: 1 });
    expect(await forum.nextAction()).toEqual({ action: "typing", threadId: 1 });
    forum.setTopicClosed(topic, true);
    await expect(telegram.sendMessage(forum.id, "?", { message_thread_id: topic })).rejects.toMatchObject({
      description: "Bad Request: TOPIC_CLOSED",
    });
    expect(() => ada.say(forum, { text: "I run this", topic })).not.toThrow();
  });

  it("lets a bot make topics when it may", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const forum = simulator.createSupergroup({ isForum: true, members: [ada, simulator.bot()], isSettled: true });
    const { telegram } = connect(simulator);
    await expect(telegram.createForumTopic(forum.id, "Mine")).rejects.toMatchObject({
      description: "Bad Request: not enough rights to create a topic",
    });
    ada.promote(forum, simulator.bot());
    const topic = await telegram.createForumTopic(forum.id, "Mine");
    await telegram.editForumTopic(forum.id, topic.message_thread_id, { name: "Ours" });
    await telegram.closeForumTopic(forum.id, topic.message_thread_id);
    await telegram.reopenForumTopic(forum.id, topic.message_thread_id);
    await telegram.sendMessage(forum.id, "in it", { message_thread_id: topic.message_thread_id });
    await telegram.deleteForumTopic(forum.id, topic.message_thread_id);
    expect(forum.messages()).toEqual([]);
    const plain = simulator.createSupergroup({ members: [ada], admins: [simulator.bot()], isSettled: true });
    await expect(telegram.createForumTopic(plain.id, "No")).rejects.toMatchObject({
      description: "Bad Request: the chat is not a forum",
    });
    await expect(telegram.sendMessage(plain.id, "No", { message_thread_id: 5 })).rejects.toMatchObject({
      description: "Bad Request: message thread not found",
    });
  });
});

describe("a channel", () => {
  it("is read and written by bots that run it", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const channel = simulator.createChannel({ title: "News", username: "the_news", members: [ada, simulator.bot()] });
    const { telegram } = connect(simulator);
    await expect(telegram.sendMessage(channel.id, "?")).rejects.toMatchObject({
      description: "Bad Request: need administrator rights in the channel chat",
    });
    ada.promote(channel, simulator.bot());
    await heard(simulator);
    channel.post("first");
    ada.say(channel, "second");
    const updates = await heard(simulator);
    expect(updates).toMatchObject([
      { channel_post: { text: "first", sender_chat: { id: channel.id } } },
      { channel_post: { text: "second" } },
    ]);
    expect(updates[1]?.["channel_post"]).not.toHaveProperty("from");
    expect(await telegram.sendMessage("@the_news", "third")).toMatchObject({
      message_id: 3,
      sender_chat: { title: "News" },
    });
    expect((await channel.nextMessage()).text).toBe("third");
    expect(await heard(simulator)).toEqual([]);
  });
});
