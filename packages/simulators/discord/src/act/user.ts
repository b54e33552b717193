import { messageIn, textChannelFor } from "../access.ts";
import { announceIn } from "../announce.ts";
import type { MessageBody, NewFile } from "../body.ts";
import { directChannel } from "../channels.ts";
import { addMember, removeMember } from "../guilds.ts";
import { deleteMessage, editMessage, emptyBody, say } from "../messages.ts";
import { toFullMember } from "../payload.ts";
import { react, readEmoji, unreact } from "../reactions.ts";
import { startPost, startThread, startThreadAt } from "../rest/threads.ts";
import type { Channel, Message, User } from "../world.ts";
import { createChannelView, type SimulatedChannel } from "./channel.ts";
import { type CommandActs, createCommandActs } from "./commands.ts";
import type { Stage } from "./stage.ts";

type Named = { readonly id: string };

/** A file somebody sends. */
export type SentFile = {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  /** "application/octet-stream" when absent. */
  readonly mediaType?: string;
  readonly description?: string;
};

/** What somebody says, beside plain text. */
export type Saying = {
  readonly content?: string;
  readonly attachments?: readonly SentFile[];
  readonly replyTo?: Named;
  /** Whether a reply notifies whom it answers; true when absent. */
  readonly isPinging?: boolean;
  readonly forward?: Readonly<Message>;
  readonly stickers?: readonly Named[];
  /** What Discord would make of links. */
  readonly embeds?: readonly unknown[];
};

/** Somebody who can be told what to do. Everything needs the permissions it needs on Discord; what is refused throws Discord's error. */
export type SimulatedUser = CommandActs & {
  readonly id: string;
  readonly name: string;
  say(channel: Named, saying: string | Saying): Readonly<Message>;
  edit(message: Readonly<Message>, content: string): void;
  delete(message: Readonly<Message>): void;
  react(message: Readonly<Message>, emoji: string): void;
  unreact(message: Readonly<Message>, emoji: string): void;
  type(channel: Named): void;
  /** Begins a thread at a message. */
  startThread(message: Readonly<Message>, name: string): SimulatedChannel;
  /** Begins a thread of no message. */
  createThread(channel: Named, name: string, kind?: "public" | "private"): SimulatedChannel;
  /** Posts in a forum. */
  post(
    forum: Named,
    post: { readonly name: string; readonly content: string; readonly tags?: readonly Named[] },
  ): SimulatedChannel;
  /** Says something to a bot, or to anybody, in direct messages. */
  tell(other: Named, saying: string | Saying): Readonly<Message>;
  /** The direct messages with somebody. */
  directMessages(other: Named): SimulatedChannel;
  /** Whether bots may write to this person. */
  setDirectMessages(areOpen: boolean): void;
  join(guild: Named, options?: { readonly nick?: string }): void;
  leave(guild: Named): void;
  rename(displayName: string | null): void;
};

/** Makes the acting side of a user. */
export function createUserView(stage: Stage, user: User): SimulatedUser {
  const { world } = stage;
  const userId = user.id;
  const speak = (channelId: string, saying: string | Saying): Message =>
    say(world, { channelId, authorId: userId, body: toBody(saying) });
  const live = (message: Readonly<Message>): Message =>
    messageIn(world, textChannelFor(world, message.channelId, userId), message.id);
  const guildOf = ({ id }: Named) => {
    const guild = world.guilds.get(id);
    if (!guild) throw new Error(`there is no guild ${id}`);
    return guild;
  };
  const view = (channel: Channel): SimulatedChannel => createChannelView(stage, channel);
  return {
    ...createCommandActs(stage, user),
    id: userId,
    get name() {
      return user.username;
    },
    say: (channel, saying) => speak(channel.id, saying),
    edit: (message, content) => editMessage(world, live(message), { userId, body: { ...emptyBody, content } }),
    delete: (message) => deleteMessage(world, live(message), userId),
    react: (message, emoji) => react(world, live(message), { userId, emoji: readEmoji(world, emoji) }),
    unreact: (message, emoji) =>
      unreact(world, live(message), { userId, emoji: readEmoji(world, emoji), byId: userId }),
    type: (channel) => announceTyping(stage, textChannelFor(world, channel.id, userId), userId),
    startThread: (message, name) => view(startThreadAt(world, live(message), { userId, wish: { name } })),
    createThread: (channel, name, kind = "public") =>
      view(
        startThread(world, textChannelFor(world, channel.id, userId), {
          userId,
          type: kind === "private" ? 12 : 11,
          wish: { name },
        }),
      ),
    post(forum, { name, content, tags = [] }) {
      const channel = world.channels.get(forum.id);
      if (channel?.type !== 15) throw new Error(`the channel ${forum.id} is no forum: use say or createThread`);
      const body = { ...emptyBody, content };
      return view(startPost(world, channel, { userId, wish: { name }, body, tagIds: tags.map(({ id }) => id) }).thread);
    },
    tell: (other, saying) => speak(directChannel(world, userId, other.id).id, saying),
    directMessages: (other) => view(directChannel(world, userId, other.id)),
    setDirectMessages(areOpen) {
      user.acceptsDirectMessages = areOpen;
    },
    join: (guild, options = {}) => addMember(world, guildOf(guild), { userId, ...options }),
    leave: (guild) => removeMember(world, guildOf(guild), userId),
    rename(displayName) {
      user.globalName = displayName;
    },
  };
}

function toBody(saying: string | Saying): MessageBody {
  if (typeof saying === "string") return { ...emptyBody, content: saying };
  const { content = "", attachments = [], replyTo, forward, isPinging = true, stickers = [], embeds = [] } = saying;
  return {
    ...emptyBody,
    content,
    embeds,
    files: attachments.map(toFile),
    stickerIds: stickers.map(({ id }) => id),
    reference: forward
      ? { type: 1, messageId: forward.id, channelId: forward.channelId, failsWithout: true }
      : replyTo
        ? { type: 0, messageId: replyTo.id, channelId: null, failsWithout: true }
        : null,
    allowedMentions: { users: null, roles: null, everyone: true, repliedUser: isPinging },
  };
}

/** A file as it is kept. */
function toFile({ name, bytes, mediaType = "application/octet-stream", description }: SentFile): NewFile {
  return {
    name,
    mediaType,
    description: description ?? null,
    bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
  };
}

function announceTyping({ world }: Stage, channel: Channel, userId: string): void {
  const member = world.guilds.get(channel.guildId ?? "")?.members.get(userId);
  announceIn(world, channel, {
    name: "TYPING_START",
    payload: () => ({
      channel_id: channel.id,
      user_id: userId,
      timestamp: Math.floor(world.clock.now() / 1000),
      ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
      ...(member ? { member: toFullMember(world, member) } : {}),
    }),
    subject: { type: "typing", channelId: channel.id, userId },
  });
}
