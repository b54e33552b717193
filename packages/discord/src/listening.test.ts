import type { PlatformChange } from "@troupe/core";
import { createMemoryStore } from "@troupe/core/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openScene, type Scene } from "./testing/scene.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

async function open(options: Parameters<typeof openScene>[0] = {}): Promise<Scene> {
  const scene = await openScene(options);
  scenes.push(scene);
  return scene;
}

const until = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

const kinds = (changes: readonly PlatformChange[]): string[] => changes.map(({ kind }) => kind);

describe("messages on Discord", () => {
  it("come with their server, its owner and admins, the channel, and names instead of ids", async () => {
    const { guild, general, mira, bot, simulator, hearing } = await open();
    const captains = guild.createRole({ name: "captains", permissions: ["ADMINISTRATOR"] });
    guild.change(mira, { nick: "Mira the Bold", roles: [captains] });
    const bo = simulator.createUser({ name: "bo", displayName: "Bo" });
    guild.add(bo);
    const { heard } = await hearing();
    mira.say(general, `<@${bot.id}> ask <@${bo.id}> or <@&${captains.id}> in <#${general.id}> at <t:0> 👋`);
    await until(() => expect(heard).toHaveLength(1));
    expect(heard[0]).toMatchObject({
      kind: "message",
      world: { name: "Harbour", platformId: guild.id, data: { ownerId: guild.ownerId, adminIds: [mira.id] } },
      room: { name: "general", channelType: "group", worldId: heard[0]?.world?.id },
      entity: { name: "Mira the Bold", isBot: false, data: { username: "mira" } },
      memory: {
        content: {
          text: "@Ada ask @Bo or @captains in #general at 1970-01-01 00:00 UTC 👋",
          mentionContext: { mentionsAgent: true, repliesToAgent: false },
          url: expect.stringContaining(`/${guild.id}/${general.id}/`),
        },
        metadata: { guildId: guild.id, channelId: general.id, authorId: mira.id },
      },
    });
  });

  it("tell apart whom they are for: somebody else, a role, everyone, or an answer to the agent", async () => {
    const { guild, general, mira, simulator, hearing } = await open();
    guild.setEveryonePermissions(["VIEW_CHANNEL", "SEND_MESSAGES", "READ_MESSAGE_HISTORY", "MENTION_EVERYONE"]);
    const crew = guild.createRole({ name: "crew", isMentionable: true });
    const bo = simulator.createUser({ name: "bo" });
    guild.add(bo);
    const { client, heard, signal } = await hearing();
    const sent = await client.send(
      {
        ...{ key: "k", agentId: "a", runId: "r", roomId: "x", platform: "discord", account: client.account },
        ...{ target: general.id, kind: "message", content: { text: "Ahoy" }, nonce: "n1" },
      },
      signal,
    );
    if (sent.type !== "sent") throw new Error(JSON.stringify(sent));
    mira.say(general, `<@${bo.id}> hi`);
    mira.say(general, `<@&${crew.id}> hi`);
    mira.say(general, "@everyone hi");
    mira.say(general, { content: "yes", replyTo: { id: sent.platformId } });
    const first = bo.say(general, "I am Bo");
    mira.say(general, { content: "hello Bo", replyTo: first });
    await until(() => expect(heard).toHaveLength(6));
    expect(heard.map(({ memory }) => memory.content.mentionContext)).toEqual([
      { mentionsAgent: false, repliesToAgent: false, mentionsOther: true },
      { mentionsAgent: false, repliesToAgent: false, mentionsEveryone: true },
      { mentionsAgent: false, repliesToAgent: false, mentionsEveryone: true },
      { mentionsAgent: false, repliesToAgent: true },
      { mentionsAgent: false, repliesToAgent: false },
      { mentionsAgent: false, repliesToAgent: false, mentionsOther: true },
    ]);
    expect(heard[5]?.memory.content.inReplyTo).toBe(heard[4]?.memory.id);
  });

  it("are heard in direct messages nobody opened before, in threads and in forum posts", async () => {
    const { guild, general, mira, bot, hearing } = await open();
    const forum = guild.createChannel({ name: "questions", type: "forum" });
    const { heard, texts } = await hearing();
    mira.tell(bot, "psst");
    const thread = mira.startThread(mira.say(general, "a topic"), "Topic");
    mira.say(thread, "in the thread");
    mira.post(forum, { name: "How?", content: "how does it work" });
    await until(() => expect(texts().toSorted()).toEqual(["a topic", "how does it work", "in the thread", "psst"]));
    const roomOf = (text: string) => heard.find(({ memory }) => memory.content.text === text)?.room;
    expect(roomOf("psst")).toMatchObject({ channelType: "dm", name: "Mira" });
    expect(roomOf("in the thread")).toMatchObject({
      channelType: "thread",
      name: "Topic",
      data: { parentPlatformId: general.id, parentName: "general" },
    });
    expect(roomOf("how does it work")).toMatchObject({ channelType: "forum", name: "How?" });
  });

  it("bring files along, and stickers, embeds and forwards as words", async () => {
    const { guild, general, mira, hearing } = await open();
    const sticker = guild.createSticker("wave");
    const { heard, texts } = await hearing();
    const map = { name: "map.png", bytes: "png", mediaType: "image/png", description: "A map" };
    const first = mira.say(general, { content: "look", attachments: [map] });
    mira.say(general, { stickers: [sticker] });
    mira.say(general, {
      embeds: [{ type: "rich", title: "News", description: "Fog.", fields: [{ name: "Wind", value: "7" }] }],
    });
    mira.say(general, { forward: first });
    await until(() =>
      expect(texts()).toEqual(["look", "[sticker: wave]", "News\nFog.\nWind: 7", "[forwarded message] look"]),
    );
    const file = { title: "map.png", mediaType: "image/png", sizeBytes: 3, description: "A map" };
    expect(heard[0]?.memory.content.attachments).toMatchObject([file]);
    expect(heard[3]?.memory.content.attachments).toMatchObject([file]);
    const url = heard[0]?.memory.content.attachments?.[0]?.url ?? "";
    expect(await (await fetch(url)).text()).toBe("png");
  });

  it("are not what the agent said itself, and not what Discord itself announces", async () => {
    const { general, mira, make, hearing } = await open();
    const { texts, client, signal } = await hearing();
    for (const type of [6, 7, 18, 21]) general.notice(type, mira, "notice");
    const base = { agentId: "a", runId: "r", roomId: "x", platform: "discord", account: client.account };
    await client.send(
      { ...base, key: "k", target: general.id, kind: "message", content: { text: "me" }, nonce: "n" },
      signal,
    );
    mira.say(general, "last");
    await until(() => expect(texts()).toEqual(["last"]));
    expect(make().account).toBe("Ada");
  });

  it("of other bots are marked as such", async () => {
    const { guild, general, simulator, hearing } = await open();
    const robot = simulator.createUser({ name: "robot", isBot: true });
    guild.add(robot);
    const { heard } = await hearing();
    robot.say(general, "beep");
    await until(() => expect(heard[0]?.entity).toMatchObject({ name: "robot", isBot: true }));
  });
});

describe("what else happens on Discord", () => {
  it("is told: edits, deletions and reactions, but no link preview", async () => {
    const { general, mira, hearing } = await open();
    const { heard, changes } = await hearing();
    const message = mira.say(general, "see https://example.org");
    general.unfurl(message, [{ type: "link", title: "Example" }]);
    mira.edit(message, "see below");
    mira.react(message, "👍");
    mira.unreact(message, "👍");
    mira.delete(message);
    await until(() => expect(kinds(changes).slice(-4)).toEqual(["edited", "reaction", "reaction", "removed"]));
    const memoryId = heard[0]?.memory.id;
    expect(changes.slice(-4)).toMatchObject([
      { memoryId, content: { text: "see below" } },
      { memoryId, emoji: "👍", isAdded: true, entity: { name: "Mira" } },
      { memoryId, emoji: "👍", isAdded: false },
      { memoryIds: [memoryId] },
    ]);
    expect(kinds(changes).filter((kind) => kind === "edited")).toHaveLength(1);
  });

  it("is told by name, also who reacts in direct messages without having spoken", async () => {
    const { bot, mira, hearing } = await open();
    const store = createMemoryStore();
    const first = await hearing({ store });
    const message = mira.tell(bot, "psst");
    await until(() => expect(first.heard).toHaveLength(1));
    first.stop();
    const { changes } = await hearing({ store: createMemoryStore() });
    mira.react(message, "👀");
    await until(() =>
      expect(changes.at(-1)).toMatchObject({ kind: "reaction", entity: { name: "Mira" }, room: { channelType: "dm" } }),
    );
  });

  it("is told of people who come and go, and of rooms and servers", async () => {
    const { guild, simulator, hearing } = await open();
    const { changes } = await hearing();
    expect(changes).toContainEqual(
      expect.objectContaining({ kind: "world", world: expect.objectContaining({ name: "Harbour" }) }),
    );
    const bo = simulator.createUser({ name: "bo", displayName: "Bo" });
    bo.join(guild);
    bo.leave(guild);
    const cabin = guild.createChannel({ name: "cabin" });
    cabin.rename("galley");
    guild.rename("Port");
    await until(() =>
      expect(changes).toContainEqual(
        expect.objectContaining({ kind: "world", world: expect.objectContaining({ name: "Port" }) }),
      ),
    );
    await until(() =>
      expect(changes).toContainEqual(
        expect.objectContaining({ kind: "room", room: expect.objectContaining({ name: "galley" }) }),
      ),
    );
    expect(changes.filter(({ kind }) => kind === "joined" || kind === "left")).toMatchObject([
      { kind: "joined", entity: { name: "Bo" }, isAgent: false, world: { platformId: guild.id } },
      { kind: "left", entity: { name: "Bo" }, isAgent: false },
    ]);
  });

  it("is told of the agent's own coming and going", async () => {
    const { simulator, bot, hearing } = await open();
    const { changes } = await hearing();
    const other = simulator.createGuild({ name: "Library" });
    await until(() => expect(changes).toContainEqual(expect.objectContaining({ kind: "joined", isAgent: true })));
    other.remove(bot);
    await until(() =>
      expect(changes).toContainEqual(
        expect.objectContaining({
          kind: "left",
          isAgent: true,
          world: expect.objectContaining({ platformId: other.id }),
        }),
      ),
    );
  });

  it("keeps a slow room from holding up another", async () => {
    const { guild, general, mira, make } = await open();
    const other = guild.createChannel({ name: "other" });
    const stop = new AbortController();
    const texts: string[] = [];
    const slow = Promise.withResolvers<void>();
    await make().start(async (told) => {
      if (!("memory" in told)) return;
      texts.push(told.memory.content.text);
      if (told.memory.content.text === "slow") await slow.promise;
    }, stop.signal);
    mira.say(general, "slow");
    mira.say(general, "behind it");
    mira.say(other, "elsewhere");
    await until(() => expect(texts.toSorted()).toEqual(["elsewhere", "slow"]));
    slow.resolve();
    await until(() => expect(texts).toContain("behind it"));
    stop.abort();
  });
});
