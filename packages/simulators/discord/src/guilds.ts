import { announceTo } from "./announce.ts";
import { createMessage, emptyBody } from "./messages.ts";
import { toFullMember, toGuildCreate, toUserById } from "./payload.ts";
import type { Guild, Member, World } from "./world.ts";

/** Lets somebody in and tells everybody; a bot is shown the guild. */
export function addMember(
  world: World,
  guild: Guild,
  joining: { readonly userId: string; readonly nick?: string | null; readonly roleIds?: readonly string[] },
): void {
  const { userId } = joining;
  if (guild.members.has(userId)) return;
  const member: Member = {
    userId,
    nick: joining.nick ?? null,
    roleIds: joining.roleIds ?? [],
    joinedMs: world.clock.now(),
  };
  guild.members.set(userId, member);
  announceTo(world, guild.id, {
    name: "GUILD_MEMBER_ADD",
    payload: (viewer) => (viewer.userId === userId ? null : { ...toFullMember(world, member), guild_id: guild.id }),
  });
  if (world.applications.has(userId)) {
    announceTo(world, guild.id, {
      name: "GUILD_CREATE",
      onlyFor: [userId],
      payload: (viewer) => toGuildCreate(world, guild, viewer),
    });
  }
  const greeted = guild.systemChannelId === null ? undefined : world.channels.get(guild.systemChannelId);
  if (greeted) createMessage(world, { channel: greeted, authorId: userId, body: emptyBody, type: 7 });
}

/** Lets somebody out and tells everybody; a bot loses the guild. */
export function removeMember(world: World, guild: Guild, userId: string): void {
  if (!guild.members.delete(userId)) return;
  for (const channel of world.channels.values())
    if (channel.guildId === guild.id) channel.thread?.members.delete(userId);
  announceTo(world, guild.id, {
    name: "GUILD_MEMBER_REMOVE",
    payload: () => ({ guild_id: guild.id, user: toUserById(world, userId) }),
  });
  if (!world.applications.has(userId)) return;
  announceTo(world, guild.id, { name: "GUILD_DELETE", onlyFor: [userId], payload: () => ({ id: guild.id }) });
}

/** Tells that a member is another now; without the privileged intent a bot is told of itself only. */
export function announceMember(world: World, guild: Guild, member: Member): void {
  announceTo(world, guild.id, {
    name: "GUILD_MEMBER_UPDATE",
    payload: (viewer) =>
      viewer.seesMembers || viewer.userId === member.userId
        ? { ...toFullMember(world, member), guild_id: guild.id }
        : null,
  });
}
