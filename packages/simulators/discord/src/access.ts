import { DiscordError, refusal } from "./errors.ts";
import { findMessage } from "./message-payload.ts";
import { channelPermissions, guildPermissions, holds, type Permission } from "./permissions.ts";
import type { Channel, Guild, Message, World } from "./world.ts";

/** The kinds of channels whose messages are in threads only. */
const threadOnly = new Set([15, 16]);
const withoutMessages = new Set([4, 14]);

/** A channel this user can view. @throws DiscordError 10003, 50001 */
export function channelFor(world: World, channelId: string, userId: string): Channel {
  const channel = world.channels.get(channelId);
  if (!channel) throw refusal("unknownChannel");
  if (!holds(channelPermissions(world, channel, userId), "VIEW_CHANNEL")) throw refusal("missingAccess");
  return channel;
}

/** The same, of a kind that holds messages. @throws DiscordError 10003, 40058, 50001, 50008 */
export function textChannelFor(world: World, channelId: string, userId: string): Channel {
  const channel = channelFor(world, channelId, userId);
  if (threadOnly.has(channel.type)) throw refusal("forumMessage");
  if (withoutMessages.has(channel.type)) throw refusal("notText");
  return channel;
}

/** @throws DiscordError 50013 when the user lacks any of these in the channel. */
export function demand(
  world: World,
  channel: Channel,
  demanded: { readonly userId: string; readonly all: readonly Permission[] },
): void {
  const bits = channelPermissions(world, channel, demanded.userId);
  if (demanded.all.some((name) => !holds(bits, name))) throw refusal("missingPermissions");
}

/** A message of a channel. @throws DiscordError 10008 */
export function messageIn(world: World, channel: Channel, messageId: string): Message {
  const message = findMessage(world, channel.id, messageId);
  if (!message || isEphemeral(message)) throw refusal("unknownMessage");
  return message;
}

/** Whether only one person sees it. */
export function isEphemeral(message: Message): boolean {
  return (message.flags & (1 << 6)) !== 0;
}

/** A guild this user is in. @throws DiscordError 10004 */
export function guildFor(world: World, guildId: string, userId: string): Guild {
  const guild = world.guilds.get(guildId);
  if (!guild?.members.has(userId)) throw refusal("unknownGuild");
  return guild;
}

/** @throws DiscordError 50013 when the user lacks it in the guild. */
export function demandInGuild(guild: Guild, userId: string, permission: Permission): void {
  if (!holds(guildPermissions(guild, userId), permission)) throw refusal("missingPermissions");
}

/** Whether two people share a guild. */
function haveMutualGuild(world: World, first: string, second: string): boolean {
  return [...world.guilds.values()].some((guild) => guild.members.has(first) && guild.members.has(second));
}

/** @throws DiscordError when this user may not speak here now: 20016, 50007, 50013, 50278, 160005 */
export function demandToSpeak(world: World, channel: Channel, userId: string): void {
  if (channel.guildId === null) return demandToReach(world, channel, userId);
  const { thread } = channel;
  demand(world, channel, { userId, all: [thread ? "SEND_MESSAGES_IN_THREADS" : "SEND_MESSAGES"] });
  const bits = channelPermissions(world, channel, userId);
  if (thread?.isLocked && !holds(bits, "MANAGE_THREADS")) throw refusal("lockedThread");
  if (channel.slowmodeSeconds > 0) demandPatience(world, channel, { userId, bits });
}

function demandToReach(world: World, channel: Channel, userId: string): void {
  const other = world.users.get(channel.recipientIds.find((id) => id !== userId) ?? "");
  if (!world.users.get(userId)?.isBot) return;
  if (!other || other.isBot || !other.acceptsDirectMessages) throw refusal("closedToYou");
  const hasWritten = channel.messages.some((message) => message.authorId === other.id);
  if (!hasWritten && !haveMutualGuild(world, userId, other.id)) throw refusal("noMutualGuild");
}

function demandPatience(
  world: World,
  channel: Channel,
  { userId, bits }: { readonly userId: string; readonly bits: bigint },
): void {
  if (holds(bits, "BYPASS_SLOWMODE") || holds(bits, "MANAGE_MESSAGES") || holds(bits, "MANAGE_CHANNELS")) return;
  const lastMs = channel.lastSaidMs.get(userId);
  if (lastMs === undefined) return;
  const waitMs = lastMs + channel.slowmodeSeconds * 1000 - world.clock.now();
  if (waitMs <= 0) return;
  const extra = { retry_after: waitMs / 1000, global: false };
  throw new DiscordError(429, 20016, "This action cannot be performed due to slowmode rate limit.", extra);
}
