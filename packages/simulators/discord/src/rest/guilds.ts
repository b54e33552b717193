import { demandInGuild, guildFor } from "../access.ts";
import { readJson } from "../body.ts";
import { createFormErrors, refusal } from "../errors.ts";
import { readForm } from "../form.ts";
import { announceMember, removeMember } from "../guilds.ts";
import { hasIntent } from "../intents.ts";
import { toChannel, toEmoji, toFullMember, toGuild, toRole, toSticker } from "../payload.ts";
import { guildPermissions } from "../permissions.ts";
import { compareSnowflakes } from "../snowflake.ts";
import type { Guild } from "../world.ts";
import { readQuery } from "./queries.ts";
import { type Call, nothing, ok, type Route } from "./router.ts";
import { activeThreads } from "./threads.ts";

function guildOf(call: Call): Guild {
  return guildFor(call.world, call.param("guild"), call.bot.id);
}

function get(call: Call) {
  const guild = guildOf(call);
  const isCounted = readQuery(call.request).flag("with_counts") ?? false;
  const counts = { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size };
  return ok({ ...toGuild(guild), ...(isCounted ? counts : {}) });
}

function channels(call: Call) {
  const guild = guildOf(call);
  const own = [...call.world.channels.values()].filter((channel) => channel.guildId === guild.id && !channel.thread);
  return ok(own.map((channel) => toChannel(call.world, channel, call.bot.id)));
}

function member(call: Call, userId: string) {
  const found = guildOf(call).members.get(userId);
  if (!found) throw refusal(call.world.users.has(userId) ? "unknownMember" : "unknownUser");
  return ok(toFullMember(call.world, found));
}

function members(call: Call) {
  const guild = guildOf(call);
  if (!hasIntent(call.bot.privilegedBits, "GUILD_MEMBERS")) throw refusal("missingAccess");
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 1000 }) ?? 1;
  const after = query.snowflake("after") ?? "0";
  query.check();
  const later = [...guild.members.values()]
    .filter(({ userId }) => compareSnowflakes(userId, after) > 0)
    .sort((left, right) => compareSnowflakes(left.userId, right.userId));
  return ok(later.slice(0, limit).map((found) => toFullMember(call.world, found)));
}

function search(call: Call) {
  const guild = guildOf(call);
  const query = readQuery(call.request);
  query.require("query");
  const text = (query.text("query", { min: 1, max: 100 }) ?? "").toLowerCase();
  const limit = query.integer("limit", { min: 1, max: 1000 }) ?? 1;
  query.check();
  const found = [...guild.members.values()].filter(({ userId, nick }) => {
    const user = call.world.users.get(userId);
    return [user?.username, user?.globalName, nick].some((name) => name?.toLowerCase().startsWith(text));
  });
  return ok(found.slice(0, limit).map((one) => toFullMember(call.world, one)));
}

function rename(call: Call) {
  const guild = guildOf(call);
  const errors = createFormErrors();
  const form = readForm(readJson(call.request), errors);
  const nick = form.text("nick", { max: 32 });
  errors.check();
  const own = guild.members.get(call.bot.id);
  if (!own) throw refusal("unknownMember");
  if (form.fields["nick"] !== undefined) {
    demandInGuild(guild, call.bot.id, "CHANGE_NICKNAME");
    own.nick = nick === "" ? null : nick;
    announceMember(call.world, guild, own);
  }
  return ok(toFullMember(call.world, own));
}

function leave(call: Call) {
  removeMember(call.world, guildOf(call), call.bot.id);
  return nothing;
}

function own(call: Call) {
  const { world, bot } = call;
  const query = readQuery(call.request);
  const limit = query.integer("limit", { min: 1, max: 200 }) ?? 200;
  const after = query.snowflake("after") ?? "0";
  query.check();
  const found = [...world.guilds.values()]
    .filter((guild) => guild.members.has(bot.id) && compareSnowflakes(guild.id, after) > 0)
    .sort((left, right) => compareSnowflakes(left.id, right.id));
  return ok(
    found.slice(0, limit).map((guild) => ({
      id: guild.id,
      name: guild.name,
      icon: null,
      banner: null,
      owner: guild.ownerId === bot.id,
      permissions: guildPermissions(guild, bot.id).toString(),
      features: [],
    })),
  );
}

/** @see https://discord.com/developers/docs/resources/guild */
export const guildRoutes: readonly Route[] = [
  { route: "GET /users/@me/guilds", handle: own },
  { route: "DELETE /users/@me/guilds/:guild", handle: leave },
  { route: "GET /guilds/:guild", handle: get },
  { route: "GET /guilds/:guild/channels", handle: channels },
  { route: "GET /guilds/:guild/roles", handle: (call) => ok([...guildOf(call).roles.values()].map(toRole)) },
  { route: "GET /guilds/:guild/emojis", handle: (call) => ok([...guildOf(call).emojis.values()].map(toEmoji)) },
  {
    route: "GET /guilds/:guild/stickers",
    handle: (call) => ok([...guildOf(call).stickers.values()].map((sticker) => toSticker(guildOf(call), sticker))),
  },
  {
    route: "GET /guilds/:guild/threads/active",
    handle: (call) => ok(activeThreads(call.world, guildOf(call).id, call.bot.id)),
  },
  { route: "GET /guilds/:guild/members", handle: members },
  { route: "GET /guilds/:guild/members/search", handle: search },
  { route: "GET /guilds/:guild/members/:user", handle: (call) => member(call, call.param("user")) },
  { route: "PATCH /guilds/:guild/members/@me", handle: rename },
];
