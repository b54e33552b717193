import type { Delivery, SendResult } from "@troupe/core";
import { createDelivery, createMemoryStore } from "@troupe/core/testing";
import type { Message } from "@troupe/simulator-discord";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ClientSetting, type Hearing, openScene, type Scene } from "./testing/scene.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

type Stage = Scene &
  Hearing & {
    send(text: string, extra?: Partial<Delivery>, n?: number): Promise<SendResult>;
    sent(text: string, extra?: Partial<Delivery>, n?: number): Promise<string>;
    shown(channel?: { messages(): readonly Readonly<Message>[] }): readonly Readonly<Message>[];
  };

async function open(setting: ClientSetting = {}, options: Parameters<typeof openScene>[0] = {}): Promise<Stage> {
  const scene = await openScene(options);
  scenes.push(scene);
  const hearing = await scene.hearing(setting);
  const { client, signal } = hearing;
  const send = (text: string, extra: Partial<Delivery> = {}, n = 0): Promise<SendResult> =>
    client.send({ ...createDelivery(client, scene.general.id, text, n), ...extra }, signal);
  return {
    ...scene,
    ...hearing,
    send,
    async sent(text, extra, n) {
      const result = await send(text, extra, n);
      if (result.type !== "sent") throw new Error(JSON.stringify(result));
      return result.platformId;
    },
    shown: (channel = scene.general) => channel.messages().filter(({ authorId }) => authorId === scene.bot.id),
  };
}

const until = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

describe("sending on Discord", () => {
  it("answers the right message", async () => {
    const { general, mira, sent, shown } = await open();
    const question = mira.say(general, "where?");
    await sent("here", { replyToPlatformId: question.id });
    expect(shown()[0]).toMatchObject({ content: "here", type: 19, reference: { messageId: question.id } });
  });

  it("answers without a reference when the message is gone, or may not be read again", async () => {
    const { bot, general, mira, sent, shown } = await open();
    const question = mira.say(general, "where?");
    mira.delete(question);
    await sent("gone", { replyToPlatformId: question.id });
    general.setPermissions(bot, { deny: ["READ_MESSAGE_HISTORY"] });
    await sent("hidden", { replyToPlatformId: mira.say(general, "again").id }, 1);
    expect(shown().map(({ content }) => content)).toEqual(["gone", "hidden"]);
  });

  it("points at the message in direct messages only when something came in between", async () => {
    const { bot, mira, heard, sent, shown } = await open();
    const direct = mira.directMessages(bot);
    const first = mira.tell(bot, "one");
    await until(() => expect(heard).toHaveLength(1));
    await sent("1", { target: direct.id, replyToPlatformId: first.id });
    mira.tell(bot, "two");
    await until(() => expect(heard).toHaveLength(2));
    await sent("still 1", { target: direct.id, replyToPlatformId: first.id }, 1);
    expect(shown(direct).map(({ reference }) => reference?.messageId)).toEqual([undefined, first.id]);
  });

  it("pings nobody unless the settings allow it", async () => {
    const text = (id: string): string => `@everyone and <@${id}>`;
    const closed = await open();
    closed.guild.setEveryonePermissions(["VIEW_CHANNEL", "SEND_MESSAGES", "READ_MESSAGE_HISTORY", "MENTION_EVERYONE"]);
    const question = closed.mira.say(closed.general, "hi");
    await closed.sent(text(closed.mira.id), { replyToPlatformId: question.id });
    expect(closed.shown()[0]).toMatchObject({ mentionIds: [], mentionsEveryone: false });
    const allowing = await open({ settings: { allowedMentions: ["users", "reply"] } });
    await allowing.sent(text(allowing.mira.id));
    expect(allowing.shown()[0]).toMatchObject({ mentionIds: [allowing.mira.id], mentionsEveryone: false });
  });

  it("opens direct messages, and says so when the person takes none", async () => {
    const { bot, mira, send, sent, shown, client } = await open();
    const target = `user:${mira.id}`;
    const platformId = await sent("psst", { target });
    expect(shown(mira.directMessages(bot))[0]).toMatchObject({ content: "psst" });
    const edited = { ...createDelivery(client, target, "psst!"), target };
    expect(await client.edits?.edit(platformId, edited, true)).toMatchObject({ type: "sent" });
    expect(shown(mira.directMessages(bot))[0]).toMatchObject({ content: "psst!" });
    mira.setDirectMessages(false);
    expect(await send("psst", { target }, 1)).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("takes no direct messages"),
    });
    expect(await send("psst", { target: "mira" }, 2)).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("user:<id>"),
    });
  });

  it("likes by a reaction, quotes by a reply, and forwards to the configured channel", async () => {
    const scene = await openScene();
    scenes.push(scene);
    const { general, guild, mira, hearing, bot } = scene;
    const board = guild.createChannel({ name: "board" });
    const { client, signal } = await hearing({ settings: { forwardTo: board.id, likeEmoji: "🎉" } });
    expect(client.social?.toSorted()).toEqual(["like", "quote", "retweet"]);
    const post = mira.say(general, "good news");
    const deliver = (kind: Delivery["kind"], text: string, n: number): Promise<SendResult> =>
      client.send({ ...createDelivery(client, general.id, text, n), kind, replyToPlatformId: post.id }, signal);
    const results = [
      await deliver("like", "", 1),
      await deliver("retweet", "", 2),
      await deliver("quote", "indeed", 3),
    ];
    expect(results.map(({ type }) => type)).toEqual(["sent", "sent", "sent"]);
    expect(post.reactions).toMatchObject([{ emoji: { name: "🎉" }, userIds: [bot.id] }]);
    expect(board.messages()[0]).toMatchObject({
      reference: { type: 1, messageId: post.id },
      snapshots: [{ content: "good news" }],
    });
    expect(general.messages().at(-1)).toMatchObject({ content: "indeed", reference: { messageId: post.id } });
    await deliver("retweet", "", 2);
    expect(board.messages()).toHaveLength(1);
  });

  it("sends files from the web, from the disk and from a data address; what is not to be had stays a link", async () => {
    const { simulator, general, mira, sent, send, shown } = await open();
    const { url } = await uploaded(simulator.apiUrl, general, mira);
    const gone = `${simulator.url}/attachments/1/2/gone.png`;
    const attachments = [
      { id: "1", url, title: "a.txt" },
      { id: "2", url: "data:text/plain,hello", title: "b.txt" },
      { id: "3", url: import.meta.url },
      { id: "4", url: gone },
    ];
    await sent("files", { content: { text: "files", attachments } });
    const message = shown()[0];
    expect(message?.attachments.map(({ name, bytes }) => [name, bytes.length > 0])).toEqual([
      ["a.txt", true],
      ["b.txt", true],
      ["sending.test.ts", true],
    ]);
    expect(message?.content).toBe(`files\n${gone}`);
    const missing = { text: "", attachments: [{ id: "5", url: "file:///nowhere/at/all.png" }] };
    expect(await send("", { content: missing }, 1)).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("all.png"),
    });
  });

  it("answers in a thread at the message, all pieces of it, where the settings say so", async () => {
    const { simulator, general, mira, sent, client } = await open({ settings: { answerInThread: true } });
    const question = mira.say(general, "how?");
    const first = await sent("so", { replyToPlatformId: question.id, inReplyToText: "how?" });
    await sent("and so", {}, 1);
    const thread = simulator.channel(question.id);
    expect(thread.name).toBe("how?");
    const texts = (): string[] =>
      thread
        .messages()
        .filter(({ type }) => type === 0)
        .map(({ content }) => content);
    expect(texts()).toEqual(["so", "and so"]);
    const final = { ...createDelivery(client, general.id, "so it is"), replyToPlatformId: question.id };
    expect(await client.edits?.edit(first, final, true)).toMatchObject({ type: "sent" });
    expect(texts()).toEqual(["so it is", "and so"]);
    expect(await client.lookup?.({ ...final, content: { text: "so it is" } })).toEqual({ platformId: first });
  });

  it("types while it is wanted, however often, and stops", async () => {
    const { general, client, simulator } = await open();
    const typed = general.botTyping();
    const ends = [client.typing?.start(general.id), client.typing?.start(general.id)];
    await typed;
    for (const end of ends) end?.();
    const calls = simulator.requests.filter(({ path }) => path.endsWith("/typing"));
    expect(calls).toHaveLength(1);
  });

  it("offers choices as buttons, or as a menu when there are many, and hears what is pressed", async () => {
    const { mira, sent, shown, heard } = await open({ store: createMemoryStore() });
    const long = "x".repeat(300);
    const few = [
      { value: "yes", label: "Yes, please" },
      { value: long, label: "" },
    ];
    await sent("Tea?", { content: { text: "Tea?", choices: few } });
    const asked = shown()[0];
    if (!asked) throw new Error("nothing was shown");
    const ids = customIds(asked.components);
    expect(await mira.click(asked, ids[0] ?? "").acknowledged()).toBe(6);
    mira.click(asked, ids[1] ?? "");
    await until(() => expect(heard).toHaveLength(2));
    expect(heard[0]).toMatchObject({
      kind: "command",
      memory: { content: { text: "Yes, please", command: { name: "choose", parameters: { value: "yes" } } } },
    });
    expect(heard[1]?.memory.content.command?.parameters).toEqual({ value: long });
    await sent("with milk", { replyToPlatformId: heard[0]?.memory.platformId ?? "" }, 1);
    expect(shown()[1]).toMatchObject({ content: "with milk", reference: { messageId: asked.id } });
    const many = Array.from({ length: 40 }, (_, n) => ({ value: `v${n}`, label: `Number ${n}` }));
    await sent("Which?", { content: { text: "Which?", choices: many } }, 2);
    const menu = shown()[2];
    if (!menu) throw new Error("no menu was shown");
    mira.choose(menu, customIds(menu.components)[1] ?? "", ["=v30"]);
    await until(() => expect(heard).toHaveLength(3));
    expect(heard[2]?.memory.content).toMatchObject({ text: "Number 30", command: { parameters: { value: "v30" } } });
  });

  it("sends nothing in a dry run, and tells it as sent", async () => {
    const { simulator, send, client, shown } = await open({
      options: { dryRun: true },
      commands: [{ name: "ask", description: "Ask.", parameters: [] }],
    });
    expect(await send("Hello")).toMatchObject({ type: "sent", platformId: expect.stringMatching(/^dry-/) });
    expect(await client.edits?.edit("dry-1", createDelivery(client, "1", "Hello!"), true)).toMatchObject({
      type: "sent",
    });
    expect(shown()).toEqual([]);
    expect(simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("says which permission is missing, and that a channel is gone", async () => {
    const { bot, general, send } = await open();
    general.setPermissions(bot, { deny: ["SEND_MESSAGES"] });
    expect(await send("Hello")).toMatchObject({ type: "rejected", error: expect.stringContaining("Send Messages") });
    general.delete();
    expect(await send("Hello")).toMatchObject({ type: "rejected", error: expect.stringMatching(/gone|cannot see/) });
  });

  it("finds a send of its own in the channel, also one that was still growing", async () => {
    const { general, mira, client, sent } = await open();
    const question = mira.say(general, "tell me a story");
    const extra = { replyToPlatformId: question.id };
    const growing = await sent("Once upon", { ...extra, isGrowing: true });
    const delivery = { ...createDelivery(client, general.id, "Once upon a time."), ...extra };
    expect(await client.lookup?.(delivery)).toEqual({ platformId: growing });
    expect(await client.lookup?.({ ...delivery, nonce: "another" })).toBeNull();
  });
});

function customIds(components: readonly unknown[]): string[] {
  return JSON.stringify(components).match(/(?<="custom_id":")[^"]*/g) ?? [];
}

async function uploaded(apiUrl: string, general: Scene["general"], mira: Scene["mira"]): Promise<{ url: string }> {
  const { id } = mira.say(general, { attachments: [{ name: "a.txt", bytes: "from the web" }] });
  const response = await fetch(`${apiUrl}/v10/channels/${general.id}/messages/${id}`, {
    headers: { authorization: "Bot token" },
  });
  // Discord answers with a message.
  const { attachments } = (await response.json()) as { attachments: { url: string }[] };
  return { url: attachments[0]?.url ?? "" };
}
