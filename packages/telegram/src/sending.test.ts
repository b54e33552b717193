import type { Delivery } from "@troupe/core";
import { createDelivery } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { telegramRates } from "./budget.ts";
import { command, connect, hastyClock, type Setting } from "./testing/stage.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Somebody who has written to the bot in private. */
async function inPrivate(setting: Setting = {}) {
  const stage = await connect(setting);
  const bo = stage.simulator.createUser({ firstName: "Bo" });
  const said = bo.say(stage.simulator.bot(), "hello there");
  const first = await stage.nth(0);
  return { ...stage, bo, said, first, chat: bo.chatWith(stage.simulator.bot()) };
}

describe("saying on Telegram", () => {
  it("answers the message, with what is marked marked", async () => {
    const { deliver, bo, said, first, chat } = await inPrivate();
    const result = await deliver(bo.id, {
      content: { text: "**Yes**, see [here](https://example.com/)." },
      ...(first.memory.platformId !== undefined && { replyToPlatformId: first.memory.platformId }),
    });
    const shown = await chat.nextMessage();
    expect(result).toEqual({ type: "sent", platformId: `${bo.id}:${shown.message_id}` });
    expect(shown).toMatchObject({
      text: "Yes, see here.",
      reply_to_message: { message_id: said.message_id },
      entities: [{ type: "bold" }, { type: "text_link", url: "https://example.com/" }],
    });
  });

  it("answers where the character's file wants it, and a message that is gone all the same", async () => {
    const { deliver, bo, said, first, chat } = await inPrivate({ options: { settings: { repliesIn: "groups" } } });
    const replyToPlatformId = first.memory.platformId ?? "";
    await deliver(bo.id, { content: { text: "no arrow" }, replyToPlatformId });
    expect((await chat.nextMessage()).reply_to_message).toBeUndefined();
    bo.remove(said);
    await deliver(bo.id, { kind: "quote", content: { text: "a quote" }, replyToPlatformId, inReplyToText: "hello" });
    expect((await chat.nextMessage()).text).toBe("a quote");
  });

  it("sends the words as they stand when Telegram cannot read the markup", async () => {
    const { deliver, bo, chat, simulator } = await inPrivate();
    const body = {
      ok: false,
      error_code: 400,
      description: "Bad Request: can't parse entities: Unsupported start tag",
    };
    simulator.fault("sendMessage", { type: "answer", answer: { status: 400, body } });
    expect(await deliver(bo.id, "**bold**")).toMatchObject({ type: "sent" });
    expect(await chat.nextMessage()).toMatchObject({ text: "**bold**" });
  });

  it("speaks in the topic it was spoken to in", async () => {
    const { simulator, deliver, nth } = await connect();
    const bo = simulator.createUser();
    const forum = simulator.createSupergroup({ isForum: true, members: [bo, simulator.bot()], isSettled: true });
    const topic = forum.createTopic("Cats");
    bo.say(forum, { text: "meow", topic });
    const heard = await nth(0);
    await deliver(heard.room.platformId, {
      content: { text: "purr" },
      replyToPlatformId: heard.memory.platformId ?? "",
    });
    expect(await forum.nextMessage()).toMatchObject({ text: "purr", message_thread_id: topic, is_topic_message: true });
    expect(await deliver(`${forum.id}/4711`, "lost")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("topic is gone"),
    });
  });

  it("grows a message by edits, to exactly the final text, and takes back what it must", async () => {
    const { client, deliver, bo, chat, signal } = await inPrivate();
    const growing = { ...createDelivery(client, String(bo.id), "Once **up"), isGrowing: true };
    const sent = await client.send(growing, signal);
    const platformId = sent.type === "sent" ? sent.platformId : "";
    const edit = (text: string, isFinal: boolean) =>
      client.edits?.edit(platformId, { ...growing, content: { text }, isGrowing: !isFinal }, isFinal);
    expect(await edit("Once **upon**", false)).toMatchObject({ type: "sent" });
    expect(await edit("Once **upon**", false)).toMatchObject({ type: "sent" });
    expect(await edit("Once **upon** a time.", true)).toEqual({ type: "sent", platformId });
    expect(chat.messages().at(-1)).toMatchObject({
      text: "Once upon a time.",
      entities: [{ type: "bold", offset: 5, length: 4 }],
    });
    expect(await client.edits?.remove?.(platformId, growing)).toMatchObject({ type: "sent" });
    expect(chat.messages().at(-1)?.text).toBe("hello there");
    expect(await edit("too late", true)).toMatchObject({ type: "rejected" });
    expect(await deliver(bo.id, "still there")).toMatchObject({ type: "sent" });
  });

  it("leaves out edits rather than to exceed what a group may get, and never the last one", async () => {
    let now = Date.now();
    const { simulator, client, nth, signal } = await connect({
      simulator: { flood: {}, clock: { now: () => now } },
      parts: { clock: { ...hastyClock, now: () => now } },
      options: { rates: telegramRates },
    });
    const bo = simulator.createUser();
    const group = simulator.createSupergroup({ members: [bo, simulator.bot()], isSettled: true });
    bo.say(group, "tell");
    const { room } = await nth(0);
    const growing = { ...createDelivery(client, room.platformId, "0"), isGrowing: true };
    const sent = await client.send(growing, signal);
    const platformId = sent.type === "sent" ? sent.platformId : "";
    const results: string[] = [];
    for (let n = 1; n <= 60; n += 1) {
      now += client.edits?.intervalMs ?? 0;
      const result = await client.edits?.edit(platformId, { ...growing, content: { text: String(n) } }, false);
      results.push(result?.type ?? "");
    }
    expect(new Set(results)).toEqual(new Set(["sent", "not-sent"]));
    now += 2_000;
    expect(await client.edits?.edit(platformId, { ...growing, content: { text: "the end" } }, true)).toMatchObject({
      type: "sent",
    });
    expect(group.messages().at(-1)?.text).toBe("the end");
  });

  it.each<[string, object, object]>([
    [
      "a picture",
      { id: "1", url: `data:image/png;base64,${pixel}`, mediaType: "image/png" },
      { photo: expect.anything(), caption: "look" },
    ],
    [
      "a document",
      { id: "1", url: "data:text/plain,hello", mediaType: "text/plain", title: "a.txt" },
      { document: { file_name: "a.txt" }, caption: "look" },
    ],
    [
      "a voice note",
      { id: "1", url: `data:audio/ogg;base64,${pixel}`, mediaType: "audio/ogg" },
      { voice: expect.anything(), caption: "look" },
    ],
    [
      "a picture that is none as a file",
      { id: "1", url: "data:image/png,none", mediaType: "image/png" },
      { document: expect.anything(), caption: "look" },
    ],
    ["what it cannot send as words", { id: "1", url: "ftp://example.com/x", title: "x" }, { text: "look\nx" }],
    [
      "what Telegram cannot get as a link",
      { id: "1", url: "http://127.0.0.1:9/cat.png", mediaType: "image/png" },
      { text: expect.stringContaining("http://127.0.0.1:9/cat.png") },
    ],
  ])("sends %s", async (_name, attachment, shown) => {
    const { deliver, bo, chat, first } = await inPrivate();
    const content = { text: "look", attachments: [attachment] } as Delivery["content"];
    expect(await deliver(bo.id, { content, replyToPlatformId: first.memory.platformId ?? "" })).toMatchObject({
      type: "sent",
    });
    expect(await chat.nextMessage()).toMatchObject({ ...shown, reply_to_message: expect.anything() });
  });

  it("sends a file that it heard, and several behind a text, and goes on where it had to wait", async () => {
    const { client, simulator, bo, chat, nth, signal } = await inPrivate();
    bo.say(simulator.bot(), { photo: {} });
    const [heard] = (await nth(1)).memory.content.attachments ?? [];
    const content = { text: "both", attachments: [heard, { id: "2", url: "data:text/plain,x", title: "x.txt" }] };
    const delivery = { ...createDelivery(client, String(bo.id), ""), content } as Delivery;
    const body = {
      ok: false,
      error_code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    };
    simulator.fault("sendDocument", { type: "answer", answer: { status: 429, body } });
    expect(await client.send(delivery, signal)).toMatchObject({ type: "not-sent", retryInMs: 1_000 });
    expect(await client.send(delivery, signal)).toMatchObject({ type: "sent" });
    const kinds = [await chat.nextMessage(), await chat.nextMessage(), await chat.nextMessage()];
    expect(kinds.map(({ text, photo, document }) => text ?? (photo ? "photo" : document?.file_name))).toEqual([
      "both",
      "photo",
      "x.txt",
    ]);
    expect(chat.messages()).toHaveLength(5);
  });

  it("reacts for a like, forwards for a retweet, points for a quote", async () => {
    const { simulator, bo, said, first, deliver, chat, client } = await inPrivate({
      options: { settings: { likeEmoji: "🔥" } },
    });
    const replyToPlatformId = first.memory.platformId ?? "";
    expect(client.social).toEqual(["like", "quote"]);
    expect(await deliver(bo.id, { kind: "like", replyToPlatformId })).toEqual({
      type: "sent",
      platformId: replyToPlatformId,
    });
    expect((await chat.nextReaction()).reactions).toEqual([{ type: "emoji", emoji: "🔥" }]);
    await deliver(bo.id, { kind: "quote", replyToPlatformId, content: { text: "so it is" }, inReplyToText: "hello" });
    expect(await chat.nextMessage()).toMatchObject({
      reply_to_message: { message_id: said.message_id },
      quote: { text: "hello" },
    });
    expect(await deliver(bo.id, { kind: "retweet", replyToPlatformId })).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("forwardTo"),
    });
    const board = simulator.createSupergroup({ members: [simulator.bot()], isSettled: true });
    const other = await connect({ options: { settings: { forwardTo: String(board.id) } } }, simulator);
    expect(other.client.social).toContain("retweet");
    expect(await other.deliver(bo.id, { kind: "retweet", replyToPlatformId })).toMatchObject({
      type: "sent",
      platformId: expect.stringContaining(String(board.id)),
    });
    expect(await board.nextMessage()).toMatchObject({ text: "hello there", forward_origin: { type: "user" } });
  });

  it("shows that it thinks until it does no more", async () => {
    const { client, bo, chat, simulator } = await inPrivate({ parts: { clock: hastyClock } });
    const ends = [client.typing?.start(String(bo.id)), client.typing?.start(String(bo.id))];
    for (let n = 0; n < 3; n += 1) expect((await chat.nextAction()).action).toBe("typing");
    for (const end of [...ends, ...ends]) end?.();
    await client.send(createDelivery(client, String(bo.id), "done"), new AbortController().signal);
    const before = simulator.requests("sendChatAction").length;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(simulator.requests("sendChatAction").length - before).toBeLessThanOrEqual(1);
  });

  it("tells Telegram the commands there are, when they have changed", async () => {
    const first = await connect({ parts: { commands: () => [command("ask"), command("my-mute")] } });
    const { simulator } = first;
    const set = () => simulator.requests("setMyCommands").length;
    while (simulator.bot().commands().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(
      simulator
        .bot()
        .commands()
        .map((one) => one.command),
    ).toEqual(["ask", "my_mute"]);
    expect(set()).toBe(1);
  });

  it("writes nothing in a dry run, and says that it did", async () => {
    const { deliver, bo, chat, client } = await inPrivate({ options: { dryRun: true } });
    const result = await deliver(bo.id, "secretly");
    expect(result).toMatchObject({ type: "sent", platformId: expect.stringMatching(/^dry-\d+$/) });
    const platformId = result.type === "sent" ? result.platformId : "";
    expect(await client.edits?.edit(platformId, createDelivery(client, String(bo.id), "x"), true)).toEqual({
      type: "sent",
      platformId,
    });
    expect(chat.messages()).toHaveLength(1);
  });

  it("follows a group that became a supergroup", async () => {
    const { simulator, deliver } = await connect();
    const bo = simulator.createUser();
    const small = simulator.createGroup({ members: [bo, simulator.bot()] });
    const large = small.upgrade();
    expect(await deliver(small.id, "where are you?")).toMatchObject({
      type: "sent",
      platformId: expect.stringContaining(String(large.id)),
    });
    expect((await large.nextMessage()).text).toBe("where are you?");
  });

  it("changes the words under a file, and sends nothing that stands there already", async () => {
    const { client, deliver, bo, chat, simulator } = await inPrivate();
    const attachments = [{ id: "1", url: "data:text/plain,hello", title: "a.txt" }];
    const sent = await deliver(bo.id, { content: { text: "look", attachments } });
    const platformId = sent.type === "sent" ? sent.platformId : "";
    const edit = (text: string) => client.edits?.edit(platformId, createDelivery(client, String(bo.id), text), true);
    expect([await edit("look"), await edit("*look*"), await edit("*look*")]).toEqual(
      Array(3).fill({ type: "sent", platformId }),
    );
    expect(chat.messages().at(-1)).toMatchObject({ caption: "look", caption_entities: [{ type: "italic" }] });
    expect(simulator.requests("editMessageCaption")).toHaveLength(1);
  });

  it("says in words why somebody cannot be written to", async () => {
    const { simulator, bo, deliver } = await inPrivate();
    expect(await deliver(4711, "hello?")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("no such chat"),
    });
    bo.block(simulator.bot());
    expect(await deliver(bo.id, "hello?")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("has blocked the bot"),
    });
    expect(await deliver(bo.id, { kind: "follow" })).toMatchObject({ type: "rejected" });
    expect(await deliver(bo.id, " ")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("nothing to say"),
    });
  });
});
