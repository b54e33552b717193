import { once } from "node:events";
import { type Client, Events, GatewayIntentBits, type Guild, type Message, Status } from "discord.js";
import { expect, test } from "vitest";
import { ask, createSetClock, login, startScene } from "../testing/scene.ts";
import { connect, identify, isEvent } from "../testing/socket.ts";

const messages = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages;
const withContent = messages | GatewayIntentBits.MessageContent;

async function hear(client: Client): Promise<string> {
  return ((await once(client, Events.MessageCreate)) as [Message])[0].content;
}

test("what cannot be let in is closed with Discord's codes", async () => {
  const { simulator } = await startScene({ bots: [{ token: "t", privilegedIntents: ["GUILD_MEMBERS"] }] });
  const closedWith = async (...payloads: unknown[]): Promise<number> => {
    const socket = connect(simulator);
    for (const payload of payloads) socket.send(payload);
    return await socket.closed;
  };
  const good = identify("t", messages);
  expect(await closedWith(identify("wrong", messages))).toBe(4004);
  expect(await closedWith(identify("t", 1 << 30))).toBe(4013);
  expect(await closedWith(identify("t", withContent))).toBe(4014);
  expect(await closedWith(identify("t", messages, [2, 2]))).toBe(4010);
  expect(await closedWith(good, good)).toBe(4005);
  expect(await closedWith({ op: 3, d: {} })).toBe(4003);
  expect(await closedWith("{")).toBe(4002);
  expect(await closedWith("x".repeat(5000))).toBe(4002);
  expect(await closedWith(good, { op: 99, d: {} })).toBe(4001);
  expect(await connect(simulator, "v=6&encoding=json").closed).toBe(4012);
});

test("discord.js refuses to go on after a fatal close", async () => {
  const { simulator } = await startScene();
  const client = await login(simulator);
  const ended = once(client, Events.ShardDisconnect);
  client.on(Events.ShardError, () => undefined);
  simulator.gateway.close(4014);
  expect(((await ended) as [{ code: number }])[0].code).toBe(4014);
});

test("intents decide what is told and what of it is shown", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const blind = connect(simulator);
  blind.send(identify(bot.token, messages));
  await blind.next(isEvent("GUILD_CREATE"));
  mira.say(general, { content: "secret", embeds: [{ title: "t" }], attachments: [{ name: "a.txt", bytes: "a" }] });
  expect((await blind.next(isEvent("MESSAGE_CREATE"))).d).toMatchObject({ content: "", embeds: [], attachments: [] });
  mira.say(general, `hello <@${bot.id}>`);
  expect((await blind.next(isEvent("MESSAGE_CREATE"))).d).toMatchObject({ content: `hello <@${bot.id}>` });
  mira.react(mira.say(general, "x"), "👍");
  mira.type(general);
  mira.leave(guild);
  guild.rename("Quay");
  await blind.next(isEvent("GUILD_UPDATE"));
  expect(new Set(blind.events())).toEqual(new Set(["READY", "GUILD_CREATE", "MESSAGE_CREATE", "GUILD_UPDATE"]));
});

test("direct messages and the bot's own are shown without the content intent", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const blind = connect(simulator);
  blind.send(identify(bot.token, messages | GatewayIntentBits.DirectMessages));
  await blind.next(isEvent("GUILD_CREATE"));
  mira.tell(bot, "between us");
  expect((await blind.next(isEvent("MESSAGE_CREATE"))).d).toMatchObject({ content: "between us", channel_type: 1 });
  await ask(simulator, `POST /channels/${general.id}/messages`, { content: "mine" });
  expect((await blind.next(isEvent("MESSAGE_CREATE"))).d).toMatchObject({ content: "mine" });
});

test("nothing of a channel the bot cannot view is told", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const secret = guild.createChannel({ name: "secret", permissions: [{ for: bot, deny: ["VIEW_CHANNEL"] }] });
  const client = await login(simulator);
  const heard = hear(client);
  mira.say(secret, "hidden");
  mira.say(general, "open");
  expect(await heard).toBe("open");
});

test.each([
  ["a cut", (gateway: Control) => gateway.cut()],
  ["a close", (gateway: Control) => gateway.close(4000)],
  ["op 7", (gateway: Control) => gateway.requestReconnect()],
  ["a resumable op 9", (gateway: Control) => gateway.invalidate(true)],
])("after %s discord.js resumes and nothing is lost or doubled", async (_, harm) => {
  const { simulator, general, mira } = await startScene();
  const client = await login(simulator);
  const heard: string[] = [];
  const all = new Promise<void>((resolve) => {
    client.on(Events.MessageCreate, ({ content }) => {
      if (heard.push(content) === 4) resolve();
    });
  });
  const resumed = once(client, Events.ShardResume);
  mira.say(general, "1");
  harm(simulator.gateway);
  mira.say(general, "2");
  mira.say(general, "3");
  await resumed;
  mira.say(general, "4");
  await all;
  expect(heard).toEqual(["1", "2", "3", "4"]);
});

type Control = Awaited<ReturnType<typeof startScene>>["simulator"]["gateway"];

test("a resume replays from the sequence number that is named, and ends with RESUMED", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const first = connect(simulator);
  first.send(identify(bot.token, withContent));
  const { d: ready } = await first.next(isEvent("READY"));
  mira.say(general, "one");
  const one = await first.next(isEvent("MESSAGE_CREATE"));
  first.close(4000);
  await first.closed;
  mira.say(general, "two");
  const second = connect(simulator);
  second.send({ op: 6, d: { token: bot.token, session_id: ready?.["session_id"], seq: one.s } });
  expect((await second.next(({ op }) => op === 0)).d).toMatchObject({ content: "two" });
  await second.next(isEvent("RESUMED"));
  const third = connect(simulator);
  third.send({ op: 6, d: { token: bot.token, session_id: ready?.["session_id"], seq: 99_999 } });
  expect(await third.closed).toBe(4007);
});

test("a session that is too old, too far behind, closed for good or unknown must identify anew", async () => {
  const clock = createSetClock();
  const { simulator, general, mira, bot } = await startScene({ clock, replayEvents: 3 });
  const begin = async (closeWith: number) => {
    const socket = connect(simulator);
    socket.send(identify(bot.token, withContent));
    const { d } = await socket.next(isEvent("READY"));
    await socket.next(isEvent("GUILD_CREATE"));
    socket.close(closeWith);
    await socket.closed;
    return async (): Promise<unknown> => {
      const again = connect(simulator);
      again.send({ op: 6, d: { token: bot.token, session_id: d?.["session_id"] ?? "none", seq: 2 } });
      const { op, d: isResumable } = await again.next((payload) => payload.op === 9 || payload.op === 0);
      return op === 9 ? isResumable : "resumed";
    };
  };
  expect(await (await begin(1000))()).toBe(false);
  const stale = await begin(4000);
  clock.advance(4 * 60_000);
  expect(await stale()).toBe(false);
  const behind = await begin(4000);
  for (const text of ["1", "2", "3", "4"]) mira.say(general, text);
  expect(await behind()).toBe(false);
});

test("after op 9 a bot identifies anew over the same connection", async () => {
  const { simulator, bot } = await startScene();
  const socket = connect(simulator);
  socket.send({ op: 6, d: { token: bot.token, session_id: "unknown", seq: 1 } });
  expect((await socket.next(({ op }) => op === 9)).d).toBe(false);
  socket.send(identify(bot.token, withContent));
  await socket.next(isEvent("READY"));
});

test("two shards of one client share the guilds by their ids and direct messages go to the first", async () => {
  const { simulator, guild, general, mira, bot } = await startScene({
    bots: [{ token: "t", shards: 2, maxConcurrency: 2 }],
  });
  let other = simulator.createGuild({ name: "Other" });
  while ((BigInt(other.id) >> 22n) % 2n === (BigInt(guild.id) >> 22n) % 2n)
    other = simulator.createGuild({ name: "Other" });
  other.add(mira);
  const lounge = other.createChannel({ name: "lounge" });
  const client = await login(simulator, { shards: [0, 1], shardCount: 2 });
  expect(client.guilds.cache.get(guild.id)?.shardId).toBe(Number((BigInt(guild.id) >> 22n) % 2n));
  expect(client.guilds.cache.get(other.id)?.shardId).not.toBe(client.guilds.cache.get(guild.id)?.shardId);
  const heard: string[] = [];
  const all = new Promise<void>((resolve) => {
    client.on(Events.MessageCreate, (message) => {
      if (heard.push(message.content) === 3) resolve();
    });
  });
  mira.say(general, "one");
  mira.say(lounge, "two");
  mira.tell(bot, "three");
  await all;
  expect(heard.sort()).toEqual(["one", "three", "two"]);
  expect(simulator.gateway.sessions.map(({ shard }) => shard[0]).sort()).toEqual([0, 1]);
});

test("shards of one key must not identify within five seconds", async () => {
  const { simulator, bot } = await startScene({ limits: {}, clock: createSetClock() });
  const first = connect(simulator);
  first.send(identify(bot.token, messages, [0, 2]));
  await first.next(isEvent("READY"));
  const second = connect(simulator);
  second.send(identify(bot.token, messages, [1, 2]));
  expect((await second.next(({ op }) => op === 9)).d).toBe(false);
  expect((await ask(simulator, "GET /gateway/bot")).json).toMatchObject({
    session_start_limit: { total: 1000, remaining: 999, max_concurrency: 1 },
  });
});

test("missed heartbeats close the connection and too many sends do, too", async () => {
  const quiet = await startScene({ heartbeatIntervalMs: 20 });
  expect(await connect(quiet.simulator).closed).toBe(4000);
  const { simulator, bot } = await startScene({ limits: {} });
  const loud = connect(simulator);
  loud.send(identify(bot.token, messages));
  for (let count = 0; count < 130; count += 1) loud.send({ op: 1, d: null });
  expect(await loud.closed).toBe(4008);
});

test("a bot whose heartbeats are not answered reconnects and resumes", async () => {
  const { simulator } = await startScene({ heartbeatIntervalMs: 60 });
  const client = await login(simulator);
  simulator.gateway.swallowHeartbeats(3);
  const resumed = once(client, Events.ShardResume);
  await resumed;
  expect(client.ws.status).toBe(Status.Ready);
});

test("events are held back, doubled, reordered and lost as told", async () => {
  const { simulator, general, mira, bot } = await startScene();
  const socket = connect(simulator);
  socket.send(identify(bot.token, withContent));
  await socket.next(isEvent("GUILD_CREATE"));
  const { gateway } = simulator;
  const next = async (): Promise<unknown> => (await socket.next(isEvent("MESSAGE_CREATE"))).d?.["content"];
  gateway.hold();
  mira.say(general, "held");
  gateway.release();
  expect(await next()).toBe("held");
  gateway.duplicate(1);
  mira.say(general, "twice");
  expect([await next(), await next()]).toEqual(["twice", "twice"]);
  gateway.reorder(2);
  mira.say(general, "first");
  mira.say(general, "second");
  expect([await next(), await next()]).toEqual(["second", "first"]);
  gateway.lose(1);
  mira.say(general, "lost");
  mira.say(general, "heard");
  expect(await next()).toBe("heard");
  gateway.dispatch("MESSAGE_CREATE", { content: "odd" });
  expect(await next()).toBe("odd");
});

test("as many connections as were said are refused, and no more", async () => {
  const { simulator, bot } = await startScene();
  simulator.gateway.refuse(2);
  expect([await connect(simulator).closed, await connect(simulator).closed]).toEqual([1006, 1006]);
  const third = connect(simulator);
  third.send(identify(bot.token, messages));
  await simulator.gateway.connected({ bot });
});

test("guilds come, go and fail while the bot looks on", async () => {
  const { simulator, guild } = await startScene();
  const client = await login(simulator);
  const joined = once(client, Events.GuildCreate);
  const other = simulator.createGuild({ name: "Other" });
  expect(((await joined) as [Guild])[0].name).toBe("Other");
  const failed = once(client, Events.GuildUnavailable);
  guild.setAvailable(false);
  await failed;
  const back = once(client, Events.GuildAvailable);
  guild.setAvailable(true);
  await back;
  const left = once(client, Events.GuildDelete);
  other.delete();
  expect(((await left) as [Guild])[0].id).toBe(other.id);
});

test("members are told as they join and change, and fetched over the gateway", async () => {
  const { simulator, guild, mira } = await startScene();
  const client = await login(simulator);
  const joining = once(client, Events.GuildMemberAdd);
  const tom = simulator.createUser({ name: "tom" });
  tom.join(guild);
  await joining;
  const fetched = await client.guilds.cache.get(guild.id)?.members.fetch();
  expect(fetched?.has(mira.id) && fetched.has(tom.id)).toBe(true);
  const leaving = once(client, Events.GuildMemberRemove);
  tom.leave(guild);
  await leaving;
});

test("a presence is accepted and can be looked at", async () => {
  const { simulator, bot } = await startScene();
  const socket = connect(simulator);
  socket.send(identify(bot.token, messages));
  await socket.next(isEvent("READY"));
  socket.send({ op: 3, d: { status: "idle", activities: [], since: null, afk: false } });
  socket.send({ op: 1, d: null });
  await socket.next(({ op }) => op === 11);
  expect(simulator.gateway.sessions[0]?.presence).toMatchObject({ status: "idle" });
});
