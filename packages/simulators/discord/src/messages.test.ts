import { once } from "node:events";
import {
  AttachmentBuilder,
  type Client,
  type Message as ClientMessage,
  DiscordAPIError,
  Events,
  type TextChannel,
} from "discord.js";
import { expect, test } from "vitest";
import { ask, createSetClock, login, startScene } from "./testing/scene.ts";

async function nextMessage(client: Client): Promise<ClientMessage> {
  const [message] = (await once(client, Events.MessageCreate)) as [ClientMessage];
  return message;
}

async function textChannel(client: Awaited<ReturnType<typeof login>>, id: string): Promise<TextChannel> {
  return (await client.channels.fetch(id)) as TextChannel;
}

test("a message goes to the bot and its reply comes back", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  client.on(Events.MessageCreate, async (message) => {
    if (!message.author.bot) await message.reply(`You said: ${message.content}`);
  });
  const asked = mira.say(general, "Is anybody there?");
  const reply = await general.botMessage({ after: asked });
  expect(reply.content).toBe("You said: Is anybody there?");
  expect(reply.reference?.messageId).toBe(asked.id);
  expect(reply.mentionIds).toEqual([mira.id]);
});

test("the bot is shown the speaker's display name, member and the kind of place", async () => {
  const { simulator, guild, general, mira } = await startScene();
  guild.change(mira, { nick: "Captain" });
  const client = await login(simulator);
  const heard = nextMessage(client);
  mira.say(general, "Ahoy");
  const message = await heard;
  expect([message.author.displayName, message.member?.displayName, message.guild?.name]).toEqual([
    "Mira",
    "Captain",
    "Harbour",
  ]);
  expect(message.createdTimestamp).toBeLessThanOrEqual(Date.now());
});

test("edits, deletions and reactions reach both sides", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  const sent = await (await textChannel(client, general.id)).send("Frist");
  const isEdited = general.botEdit();
  await sent.edit("First");
  expect((await isEdited).content).toBe("First");
  const reacted = once(client, Events.MessageReactionAdd);
  const said = mira.say(general, "Well done");
  mira.react(said, "👍");
  const [reaction, user] = (await reacted) as [{ emoji: { name: string } }, { id: string }];
  expect([reaction.emoji.name, user.id]).toEqual(["👍", mira.id]);
  const answered = general.botReaction();
  await (await (await textChannel(client, general.id)).messages.fetch(said.id)).react("❤️");
  expect((await answered).emoji).toBe("❤️");
  const updated = once(client, Events.MessageUpdate);
  mira.edit(said, "Well done!");
  const [, after] = (await updated) as [unknown, ClientMessage];
  expect(after.content).toBe("Well done!");
  const removed = once(client, Events.MessageDelete);
  mira.delete(said);
  expect(((await removed) as [ClientMessage])[0].id).toBe(said.id);
  await sent.delete();
  expect(general.messages()).toEqual([]);
});

test("an enforced nonce gives the first message back, until it is forgotten", async () => {
  const clock = createSetClock();
  const { simulator, general } = await startScene({ clock });
  const client = await login(simulator);
  const channel = await textChannel(client, general.id);
  const first = await channel.send({ content: "once", nonce: "job-1", enforceNonce: true });
  const second = await channel.send({ content: "once", nonce: "job-1", enforceNonce: true });
  expect(second.id).toBe(first.id);
  clock.advance(10 * 60_000);
  const third = await channel.send({ content: "once", nonce: "job-1", enforceNonce: true });
  expect(third.id).not.toBe(first.id);
  expect(general.messages()).toHaveLength(2);
});

test("a lost answer and a retry with the same nonce make one message", async () => {
  const { simulator, general } = await startScene();
  const client = await login(simulator);
  simulator.faults.add({
    match: "POST /api/v10/channels/*/messages",
    fault: { type: "answer", answer: { status: 502 }, isApplied: true },
  });
  const channel = await textChannel(client, general.id);
  await channel.send({ content: "once", nonce: "job-2", enforceNonce: true });
  expect(general.messages()).toHaveLength(1);
});

test("a nonce of 26 characters is refused, one of 25 is told to everybody", async () => {
  const { simulator, general } = await startScene();
  const path = `POST /channels/${general.id}/messages`;
  const long = await ask(simulator, path, { content: "x", nonce: "n".repeat(26) });
  expect(long.json).toMatchObject({ code: 50035, errors: { nonce: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH" }] } } });
  const client = await login(simulator);
  const heard = nextMessage(client);
  await ask(simulator, path, { content: "x", nonce: "n".repeat(25) });
  expect((await heard).nonce).toBe("n".repeat(25));
});

test("2,000 characters are counted in code points", async () => {
  const { simulator, general } = await startScene();
  const path = `POST /channels/${general.id}/messages`;
  expect((await ask(simulator, path, { content: "😀".repeat(2000) })).status).toBe(200);
  const long = await ask(simulator, path, { content: "x".repeat(2001) });
  expect(long.json).toMatchObject({
    code: 50035,
    errors: { content: { _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: "Must be 2000 or fewer in length." }] } },
  });
});

test("history comes newest first, before, after and around a message", async () => {
  const { simulator, general, mira } = await startScene();
  const ids = Array.from({ length: 7 }, (_, index) => mira.say(general, `m${index}`).id);
  const page = async (query: string): Promise<string[]> => {
    const { json } = await ask(simulator, `GET /channels/${general.id}/messages?${query}`);
    return Array.from(json as unknown as { content: string }[]).map(({ content }) => content);
  };
  expect(await page("limit=2")).toEqual(["m6", "m5"]);
  expect(await page(`after=${ids[1]}&limit=2`)).toEqual(["m3", "m2"]);
  expect(await page(`before=${ids[1]}`)).toEqual(["m0"]);
  expect(await page(`around=${ids[3]}&limit=3`)).toEqual(["m4", "m3", "m2"]);
});

test("only who may be mentioned is mentioned", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const crew = guild.createRole({ name: "crew", isMentionable: true });
  const officers = guild.createRole({ name: "officers" });
  const client = await login(simulator);
  const channel = await textChannel(client, general.id);
  const content = `@everyone <@&${crew.id}> <@&${officers.id}> <@${mira.id}> \`<@${bot.id}>\``;
  const open = await channel.send(content);
  expect([open.mentions.everyone, [...open.mentions.roles.keys()], [...open.mentions.users.keys()]]).toEqual([
    false,
    [crew.id],
    [mira.id],
  ]);
  const closed = await channel.send({ content, allowedMentions: { parse: [] } });
  expect([closed.mentions.roles.size, closed.mentions.users.size]).toEqual([0, 0]);
  guild.add(simulator.createBot({ token: "herald" }), { permissions: ["MENTION_EVERYONE"] });
  const { json } = await ask(simulator, `POST /channels/${general.id}/messages`, { content }, "herald");
  expect(json).toMatchObject({ mention_everyone: true, mention_roles: [crew.id, officers.id] });
});

test("files go up, can be fetched, and their addresses expire", async () => {
  const clock = createSetClock();
  const { simulator, general, mira } = await startScene({ clock });
  const client = await login(simulator);
  const channel = await textChannel(client, general.id);
  const file = new AttachmentBuilder(Buffer.from("a map"), { name: "map.txt", description: "of the harbour" });
  const sent = await channel.send({ content: "Here", files: [file] });
  const attachment = sent.attachments.first();
  expect([attachment?.name, attachment?.size, attachment?.description]).toEqual(["map.txt", 5, "of the harbour"]);
  const url = attachment?.url ?? "";
  expect(await (await fetch(url)).text()).toBe("a map");
  const heard = nextMessage(client);
  mira.say(general, { attachments: [{ name: "photo.png", bytes: new Uint8Array([1, 2, 3]), mediaType: "image/png" }] });
  const photo = (await heard).attachments.first();
  expect([photo?.contentType, (await (await fetch(photo?.url ?? "")).arrayBuffer()).byteLength]).toEqual([
    "image/png",
    3,
  ]);
  clock.advance(25 * 60 * 60_000);
  expect((await fetch(url)).status).toBe(404);
  const { json } = await ask(simulator, "POST /attachments/refresh-urls", { attachment_urls: [url] });
  const [again] = json["refreshed_urls"] as { refreshed: string }[];
  expect(await (await fetch(again?.refreshed ?? "")).text()).toBe("a map");
});

test("forwards carry a copy of what was said", async () => {
  const { simulator, guild, general, mira } = await startScene();
  const news = guild.createChannel({ name: "news" });
  const client = await login(simulator);
  const said = mira.say(general, "The ship is in");
  const original = await (await textChannel(client, general.id)).messages.fetch(said.id);
  const forward = await original.forward(news.id);
  expect(forward.messageSnapshots.first()?.content).toBe("The ship is in");
  const heard = nextMessage(client);
  mira.say(news, { forward: said });
  expect((await heard).messageSnapshots.first()?.content).toBe("The ship is in");
});

test("the bot's typing is seen and a person's typing is told", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const client = await login(simulator);
  const seen = general.botTyping();
  await (await textChannel(client, general.id)).sendTyping();
  expect(await seen).toBe(bot.id);
  const told = once(client, Events.TypingStart);
  mira.type(general);
  expect(((await told) as [{ user: { id: string } }])[0].user.id).toBe(mira.id);
});

test("an answer to a message that is gone fails with an unknown message, unless it need not be there", async () => {
  const { simulator, general, mira } = await startScene();
  const said = mira.say(general, "Gone soon");
  mira.delete(said);
  const path = `POST /channels/${general.id}/messages`;
  const refused = await ask(simulator, path, { content: "What?", message_reference: { message_id: said.id } });
  expect(refused.json).toMatchObject({
    code: 50035,
    errors: { message_reference: { _errors: [{ code: "MESSAGE_REFERENCE_UNKNOWN_MESSAGE" }] } },
  });
  const sent = await ask(simulator, path, {
    content: "What?",
    message_reference: { message_id: said.id, fail_if_not_exists: false },
  });
  expect(sent.json).toMatchObject({ type: 0 });
});

test("pins are kept and told", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const said = mira.say(general, "The rules");
  expect((await ask(simulator, `PUT /channels/${general.id}/pins/${said.id}`)).json["code"]).toBe(50013);
  guild.change(bot, { roles: [guild.createRole({ name: "keeper", permissions: ["PIN_MESSAGES"] })] });
  const client = await login(simulator);
  const channel = await textChannel(client, general.id);
  await channel.messages.pin(said.id);
  const { items } = await channel.messages.fetchPins();
  expect(items.map(({ message }) => message.content)).toEqual(["The rules"]);
});

test("discord.js throws Discord's own error", async () => {
  const { simulator, general } = await startScene();
  const client = await login(simulator);
  const channel = await textChannel(client, general.id);
  const failed = await channel.send(" ").catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(DiscordAPIError);
  expect((failed as DiscordAPIError).code).toBe(50006);
});

test("a link that unfolds is an update without an edit", async () => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  const said = mira.say(general, "https://example.org");
  const updated = once(client, Events.MessageUpdate);
  general.unfurl(said, [{ type: "article", title: "Example" }]);
  const [, after] = (await updated) as [unknown, ClientMessage];
  expect([after.embeds[0]?.title, after.editedTimestamp]).toEqual(["Example", null]);
});

test("many messages are deleted at once, but not old ones and not one alone", async () => {
  const clock = createSetClock();
  const { simulator, guild, general, mira, bot } = await startScene({ clock });
  guild.change(bot, { roles: [guild.createRole({ name: "keeper", permissions: ["MANAGE_MESSAGES"] })] });
  const ids = ["1", "2", "3"].map((text) => mira.say(general, text).id);
  const path = `POST /channels/${general.id}/messages/bulk-delete`;
  expect((await ask(simulator, path, { messages: ids.slice(0, 1) })).json["code"]).toBe(50016);
  const client = await login(simulator);
  const gone = once(client, Events.MessageBulkDelete);
  expect((await ask(simulator, path, { messages: ids.slice(0, 2) })).status).toBe(204);
  expect(((await gone) as [Map<string, unknown>])[0].size).toBe(2);
  clock.advance(15 * 24 * 60 * 60_000);
  expect((await ask(simulator, path, { messages: ids.slice(1) })).json["code"]).toBe(50034);
});

test("waiting ends with a clear error when nothing comes, or when it is given up", async () => {
  const { general } = await startScene();
  await expect(general.botMessage({ timeoutMs: 1 })).rejects.toThrow(
    "a bot's message in general did not come within 1 ms",
  );
  const giving = new AbortController();
  const waiting = general.botTyping({ signal: giving.signal });
  giving.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("only so many messages are kept", async () => {
  const { general, mira } = await startScene({ keptMessages: 10 });
  for (let count = 0; count < 50; count += 1) mira.say(general, String(count));
  expect(general.messages().length).toBeLessThanOrEqual(11);
  expect(general.messages().at(-1)?.content).toBe("49");
});
