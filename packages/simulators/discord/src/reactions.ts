import { demand, textChannelFor } from "./access.ts";
import { announceIn } from "./announce.ts";
import { refusal } from "./errors.ts";
import { toFullMember } from "./payload.ts";
import type { Channel, Message, Reaction, World } from "./world.ts";

type Emoji = Reaction["emoji"];

/** Reads an emoji as it stands in a path: the sign itself, or `name:id` of a custom one. @throws DiscordError 10014 */
export function readEmoji(world: World, text: string): Emoji {
  const custom = /^(?:<a?:)?(\w{2,32}):(\d{1,20})>?$/.exec(text);
  if (custom) {
    for (const guild of world.guilds.values()) {
      const found = guild.emojis.get(custom[2] ?? "");
      if (found) return { id: found.id, name: found.name };
    }
    throw refusal("unknownEmoji");
  }
  const isEmoji =
    /^\p{RGI_Emoji}$/v.test(text) || /^\p{RGI_Emoji}$/v.test(`${text}\uFE0F`) || /^[\u{1F1E6}-\u{1F1FF}]$/u.test(text);
  if (!isEmoji) throw refusal("unknownEmoji");
  return { id: null, name: text };
}

function isSame(left: Emoji, right: Emoji): boolean {
  return left.id === null ? right.id === null && left.name === right.name : left.id === right.id;
}

/** Who reacted to a message with this emoji. */
export function reactionOf(message: Message, emoji: Emoji): Reaction | null {
  return message.reactions.find((reaction) => isSame(reaction.emoji, emoji)) ?? null;
}

/** Reacts. @throws DiscordError 30010, 50013, 50083 */
export function react(
  world: World,
  message: Message,
  { userId, emoji }: { readonly userId: string; readonly emoji: Emoji },
): void {
  const channel = textChannelFor(world, message.channelId, userId);
  if (channel.thread?.isArchived) throw refusal("archivedThread");
  demand(world, channel, { userId, all: ["READ_MESSAGE_HISTORY"] });
  let reaction = reactionOf(message, emoji);
  if (!reaction) {
    // Who joins a reaction that is there already needs no further permission.
    demand(world, channel, { userId, all: ["ADD_REACTIONS"] });
    if (message.reactions.length >= 20) throw refusal("tooManyReactions");
    reaction = { emoji, userIds: [] };
    message.reactions.push(reaction);
  }
  if (reaction.userIds.includes(userId)) return;
  reaction.userIds.push(userId);
  announce(world, { channel, message, userId, emoji, name: "MESSAGE_REACTION_ADD" });
}

/** Takes one person's reaction back. @throws DiscordError 10014 when there is none, 50013 when it is another's */
export function unreact(
  world: World,
  message: Message,
  { userId, emoji, byId }: { readonly userId: string; readonly emoji: Emoji; readonly byId: string },
): void {
  const channel = textChannelFor(world, message.channelId, byId);
  if (userId !== byId) demand(world, channel, { userId: byId, all: ["MANAGE_MESSAGES"] });
  const reaction = reactionOf(message, emoji);
  const place = reaction?.userIds.indexOf(userId) ?? -1;
  if (!reaction || place === -1) throw refusal("unknownEmoji");
  reaction.userIds.splice(place, 1);
  if (reaction.userIds.length === 0) message.reactions.splice(message.reactions.indexOf(reaction), 1);
  announce(world, { channel, message, userId, emoji, name: "MESSAGE_REACTION_REMOVE" });
}

/** Takes all of them away, or all with one emoji. */
export function clearReactions(
  world: World,
  message: Message,
  { byId, emoji }: { readonly byId: string; readonly emoji: Emoji | null },
): void {
  const channel = textChannelFor(world, message.channelId, byId);
  demand(world, channel, { userId: byId, all: ["MANAGE_MESSAGES"] });
  const gone = message.reactions.filter((reaction) => !emoji || isSame(reaction.emoji, emoji));
  for (const reaction of gone) message.reactions.splice(message.reactions.indexOf(reaction), 1);
  announceIn(world, channel, {
    name: emoji ? "MESSAGE_REACTION_REMOVE_EMOJI" : "MESSAGE_REACTION_REMOVE_ALL",
    payload: () => ({ ...placeOfMessage(message), ...(emoji ? { emoji } : {}) }),
  });
}

function placeOfMessage(message: Message): Readonly<Record<string, unknown>> {
  const { id, channelId, guildId } = message;
  return { message_id: id, channel_id: channelId, ...(guildId === null ? {} : { guild_id: guildId }) };
}

type Announced = {
  readonly channel: Channel;
  readonly message: Message;
  readonly userId: string;
  readonly emoji: Emoji;
  readonly name: "MESSAGE_REACTION_ADD" | "MESSAGE_REACTION_REMOVE";
};

function announce(world: World, { channel, message, userId, emoji, name }: Announced): void {
  const isAdded = name === "MESSAGE_REACTION_ADD";
  const member = world.guilds.get(channel.guildId ?? "")?.members.get(userId);
  announceIn(world, channel, {
    name,
    payload: () => ({
      ...placeOfMessage(message),
      user_id: userId,
      emoji,
      type: 0,
      burst: false,
      ...(isAdded && member ? { member: toFullMember(world, member) } : {}),
      ...(isAdded ? { message_author_id: message.authorId } : {}),
    }),
    subject: { type: isAdded ? "reaction" : "unreaction", message, userId, emoji: emoji.name },
  });
}
