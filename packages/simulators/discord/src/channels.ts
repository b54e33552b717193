import { announceIn, announceTo } from "./announce.ts";
import { toChannel, toFullMember, toThreadMember } from "./payload.ts";
import type { Channel, ThreadState, Viewer, World } from "./world.ts";

/** Puts a channel into the world and tells nobody. */
export function keepChannel(world: World, parts: Partial<Channel> & Pick<Channel, "type" | "guildId">): Channel {
  const channel: Channel = {
    id: parts.id ?? world.newId(),
    name: null,
    topic: null,
    parentId: null,
    position: 0,
    isAgeRestricted: false,
    slowmodeSeconds: 0,
    overwrites: new Map(),
    recipientIds: [],
    tags: [],
    thread: null,
    messages: [],
    lastMessageId: null,
    lastPinMs: null,
    lastSaidMs: new Map(),
    ...parts,
  };
  world.channels.set(channel.id, channel);
  return channel;
}

/** The direct messages of two people, begun when there are none. */
export function directChannel(world: World, first: string, second: string): Channel {
  for (const channel of world.channels.values()) {
    if (channel.type === 1 && channel.recipientIds.includes(first) && channel.recipientIds.includes(second))
      return channel;
  }
  return keepChannel(world, { type: 1, guildId: null, recipientIds: [first, second] });
}

/** Tells whoever can view a channel what it is now. */
export function announceChannel(world: World, channel: Channel, change: "CREATE" | "UPDATE" | "DELETE"): void {
  const name = `${channel.thread ? "THREAD" : "CHANNEL"}_${change}`;
  const subject =
    channel.thread && change === "CREATE" ? ({ type: "thread", channelId: channel.id } as const) : undefined;
  const isNew = channel.thread !== null && change === "CREATE";
  const payload = ({ userId }: Viewer): unknown => ({
    ...(channel.thread && change === "DELETE"
      ? { id: channel.id, guild_id: channel.guildId, parent_id: channel.parentId, type: channel.type }
      : toChannel(world, channel, userId)),
    ...(isNew ? { newly_created: true } : {}),
  });
  // Bots are told of every channel of a guild, but only of the threads they can view.
  if (channel.thread) announceIn(world, channel, { name, payload, ...(subject ? { subject } : {}) });
  else announceTo(world, channel.guildId, { name, payload });
}

/** Takes a channel away, with its threads and messages. */
export function removeChannel(world: World, channel: Channel): void {
  for (const other of [...world.channels.values()]) {
    if (other.thread && other.parentId === channel.id) removeChannel(world, other);
    else if (other.parentId === channel.id) other.parentId = null;
  }
  announceChannel(world, channel, "DELETE");
  for (const message of channel.messages) {
    for (const { id } of message.attachments) world.attachments.delete(id);
  }
  world.channels.delete(channel.id);
}

/** Begins a thread and tells whoever can view it. */
export function createThread(
  world: World,
  parent: Channel,
  started: {
    readonly id?: string;
    readonly type: 10 | 11 | 12;
    readonly name: string;
    readonly ownerId: string;
    readonly autoArchiveMinutes?: number | null;
    readonly slowmodeSeconds?: number | null;
    readonly isInvitable?: boolean | null;
    readonly appliedTagIds?: readonly string[] | null;
  },
): Channel {
  const now = world.clock.now();
  const thread: ThreadState = {
    ownerId: started.ownerId,
    members: new Map([[started.ownerId, now]]),
    isArchived: false,
    isLocked: false,
    isInvitable: started.isInvitable ?? true,
    autoArchiveMinutes: started.autoArchiveMinutes ?? 4320,
    archivedMs: now,
    totalMessages: 0,
    appliedTagIds: started.appliedTagIds ?? [],
  };
  const channel = keepChannel(world, {
    ...(started.id === undefined ? {} : { id: started.id }),
    type: started.type,
    guildId: parent.guildId,
    name: started.name,
    parentId: parent.id,
    slowmodeSeconds: started.slowmodeSeconds ?? 0,
    thread,
  });
  announceChannel(world, channel, "CREATE");
  return channel;
}

/** Adds somebody to a thread. */
export function joinThread(world: World, channel: Channel, userId: string): void {
  if (!channel.thread || channel.thread.members.has(userId)) return;
  channel.thread.members.set(userId, world.clock.now());
  if (world.applications.has(userId)) {
    const payload = (): unknown => toChannel(world, channel, userId);
    announceTo(world, channel.guildId, { name: "THREAD_CREATE", payload, onlyFor: [userId] });
  }
  announceThreadMembers(world, channel, { added: [userId], removed: [] });
}

/** Takes somebody out of a thread. */
export function leaveThread(world: World, channel: Channel, userId: string): void {
  if (!channel.thread?.members.has(userId)) return;
  announceThreadMembers(world, channel, { added: [], removed: [userId] });
  channel.thread.members.delete(userId);
}

function announceThreadMembers(
  world: World,
  channel: Channel,
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): void {
  const members = world.guilds.get(channel.guildId ?? "")?.members;
  announceIn(world, channel, {
    name: "THREAD_MEMBERS_UPDATE",
    payload: (viewer) => {
      // Without the privileged intent a bot is told of itself only.
      const told = (id: string): boolean => viewer.seesMembers || id === viewer.userId;
      if (![...added, ...removed].some(told)) return null;
      return {
        id: channel.id,
        guild_id: channel.guildId,
        member_count: Math.min(50, (channel.thread?.members.size ?? 0) - removed.length),
        added_members: added.filter(told).map((id) => {
          const member = members?.get(id);
          return {
            ...toThreadMember(channel, id),
            ...(member ? { member: toFullMember(world, member), presence: null } : {}),
          };
        }),
        removed_member_ids: removed.filter(told),
      };
    },
  });
}
