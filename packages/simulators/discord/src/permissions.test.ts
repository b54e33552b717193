import fc from "fast-check";
import { expect, test } from "vitest";
import { channelPermissions, holds, ordinaryPermissions, type Permission, permissionBits } from "./permissions.ts";
import { ask, startScene } from "./testing/scene.ts";
import { createWorld } from "./world.ts";

const code = async (answer: ReturnType<typeof ask>): Promise<unknown> => (await answer).json["code"];

test("a channel the bot cannot view is missing access, one it cannot write in missing permissions, one that is not there unknown", async () => {
  const { simulator, guild, bot } = await startScene();
  const secret = guild.createChannel({ name: "secret", permissions: [{ for: guild, deny: ["VIEW_CHANNEL"] }] });
  const silent = guild.createChannel({ name: "silent", permissions: [{ for: bot, deny: ["SEND_MESSAGES"] }] });
  const say = (id: string): Promise<unknown> => code(ask(simulator, `POST /channels/${id}/messages`, { content: "x" }));
  expect([await say(secret.id), await say(silent.id), await say("1")]).toEqual([50001, 50013, 10003]);
  secret.setPermissions(bot, { allow: ["VIEW_CHANNEL"] });
  expect((await ask(simulator, `POST /channels/${secret.id}/messages`, { content: "x" })).status).toBe(200);
});

test("history, links, files and reactions need their own permissions", async () => {
  const { simulator, guild, mira, bot } = await startScene();
  const deny: Permission[] = ["EMBED_LINKS", "READ_MESSAGE_HISTORY", "ADD_REACTIONS"];
  const bare = guild.createChannel({ name: "bare", permissions: [{ for: bot, deny }] });
  const said = mira.say(bare, "hello");
  const path = `/channels/${bare.id}/messages`;
  expect((await ask(simulator, `GET ${path}`)).json).toEqual([]);
  expect(await code(ask(simulator, `GET ${path}/${said.id}`))).toBe(50001);
  expect(await code(ask(simulator, `POST ${path}`, { embeds: [{ title: "x" }] }))).toBe(50013);
  expect(await code(ask(simulator, `POST ${path}`, { content: "x", message_reference: { message_id: said.id } }))).toBe(
    160_002,
  );
  expect(await code(ask(simulator, `PUT ${path}/${said.id}/reactions/${encodeURIComponent("👍")}/@me`))).toBe(50013);
});

test("another's message can be deleted with a permission and edited by nobody", async () => {
  const { simulator, guild, general, mira, bot } = await startScene();
  const said = mira.say(general, "hello");
  const path = `/channels/${general.id}/messages/${said.id}`;
  expect(await code(ask(simulator, `PATCH ${path}`, { content: "x" }))).toBe(50005);
  expect(await code(ask(simulator, `DELETE ${path}`))).toBe(50013);
  guild.change(bot, { roles: [guild.createRole({ name: "warden", permissions: ["MANAGE_MESSAGES"] })] });
  expect((await ask(simulator, `DELETE ${path}`)).status).toBe(204);
  expect(await code(ask(simulator, `DELETE ${path}`))).toBe(10008);
});

test("a bot that was thrown out has lost access and the guild", async () => {
  const { simulator, guild, general, bot } = await startScene();
  guild.remove(bot);
  expect(await code(ask(simulator, `POST /channels/${general.id}/messages`, { content: "x" }))).toBe(50001);
  expect(await code(ask(simulator, `GET /guilds/${guild.id}`))).toBe(10004);
});

test("people need their permissions, too", async () => {
  const { guild, mira } = await startScene();
  const silent = guild.createChannel({ name: "silent", permissions: [{ for: guild, deny: ["SEND_MESSAGES"] }] });
  expect(() => mira.say(silent, "x")).toThrow("Missing Permissions");
});

test("slow mode refuses the second message and says how long to wait", async () => {
  const { simulator, guild } = await startScene();
  const slow = guild.createChannel({ name: "slow", slowmodeSeconds: 30 });
  await ask(simulator, `POST /channels/${slow.id}/messages`, { content: "one" });
  const second = await ask(simulator, `POST /channels/${slow.id}/messages`, { content: "two" });
  expect([second.status, second.json["code"]]).toEqual([429, 20016]);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(20);
});

test("the owner may do everything, and what is denied to a member wins over what its roles allow", () => {
  const names = Object.keys(permissionBits) as Permission[]; // Its own keys.
  const bits = fc.subarray(names).map((some) => some.reduce((all, name) => all | permissionBits[name], 0n));
  fc.assert(
    fc.property(bits, bits, bits, (roleAllow, memberDeny, memberAllow) => {
      const world = createWorld({ clock: { now: () => 0 }, random: () => 0, keptMessages: 1 });
      const role = {
        name: "r",
        permissions: 0n,
        position: 1,
        color: 0,
        isHoisted: false,
        isMentionable: false,
        botId: null,
      };
      const guild = {
        id: "1",
        name: "g",
        ownerId: "9",
        systemChannelId: null,
        isAvailable: true,
        roles: new Map([
          ["1", { ...role, id: "1", permissions: ordinaryPermissions }],
          ["2", { ...role, id: "2" }],
        ]),
        members: new Map([
          ["8", { userId: "8", nick: null, roleIds: ["2"], joinedMs: 0 }],
          ["9", { userId: "9", nick: null, roleIds: [], joinedMs: 0 }],
        ]),
        emojis: new Map(),
        stickers: new Map(),
      };
      world.guilds.set("1", guild);
      const channel = {
        id: "3",
        type: 0,
        guildId: "1",
        name: "c",
        topic: null,
        parentId: null,
        position: 0,
        isAgeRestricted: false,
        slowmodeSeconds: 0,
        overwrites: new Map([
          ["2", { id: "2", type: 0 as const, allow: roleAllow, deny: 0n }],
          ["8", { id: "8", type: 1 as const, allow: memberAllow, deny: memberDeny }],
        ]),
        recipientIds: [],
        tags: [],
        thread: null,
        messages: [],
        lastMessageId: null,
        lastPinMs: null,
        lastSaidMs: new Map(),
      };
      const found = channelPermissions(world, channel, "8");
      for (const name of names) {
        if (holds(memberDeny, name) && !holds(memberAllow, name)) expect(holds(found, name)).toBe(false);
      }
      expect(holds(found, "VIEW_CHANNEL") || found === 0n).toBe(true);
      expect(channelPermissions(world, channel, "7")).toBe(0n);
      expect(names.every((name) => holds(channelPermissions(world, channel, "9"), name))).toBe(true);
    }),
  );
});
