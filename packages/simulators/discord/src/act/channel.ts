import { messageIn } from "../access.ts";
import { announceChannel, removeChannel } from "../channels.ts";
import { announceEdit, createMessage, emptyBody } from "../messages.ts";
import { type Permission, permissionsOf } from "../permissions.ts";
import { placeOf } from "../snowflake.ts";
import type { Channel, Message } from "../world.ts";
import { type Stage, type Waiting, waitFor, waitUntil } from "./stage.ts";

/** What a role or somebody may do otherwise in one channel. */
export type PermissionChange = { readonly allow?: readonly Permission[]; readonly deny?: readonly Permission[] };

/** Which of the bots' messages are meant. */
type BotMessageQuery = Waiting & {
  /** Only later ones than this; all when absent. */
  readonly after?: { readonly id: string };
  readonly matches?: (message: Readonly<Message>) => boolean;
};

/** A place to talk, seen from outside. Messages are live: an edit shows in them. */
export type SimulatedChannel = {
  readonly id: string;
  readonly name: string | null;
  readonly guildId: string | null;
  /** Discord's number of its kind. */
  readonly type: number;
  readonly isArchived: boolean;
  /** The two people of direct messages. */
  readonly recipientIds: readonly string[];
  /** The labels of a forum. */
  readonly tags: readonly { readonly id: string; readonly name: string }[];
  /** Oldest first, without what only one person sees. */
  messages(): readonly Readonly<Message>[];
  /** The first message of a bot, said already or to come. */
  botMessage(query?: BotMessageQuery): Promise<Readonly<Message>>;
  /** The next time a bot changes a message. */
  botEdit(query?: Omit<BotMessageQuery, "after">): Promise<Readonly<Message>>;
  /** The next time a bot shows that it is typing. */
  botTyping(waiting?: Waiting): Promise<string>;
  /** The next time a bot reacts to something here, as the emoji. */
  botReaction(waiting?: Waiting): Promise<{ readonly message: Readonly<Message>; readonly emoji: string }>;
  /** Says otherwise than the guild what a role, a person or a bot may do here. */
  setPermissions(subject: { readonly id: string }, change: PermissionChange): void;
  rename(name: string): void;
  setSlowmode(seconds: number): void;
  /** Puts a thread away, or takes it out again. */
  setArchived(isArchived: boolean): void;
  setLocked(isLocked: boolean): void;
  /** Posts a notice as Discord itself does. `type` is its number. */
  notice(type: number, by: { readonly id: string }, content?: string): Readonly<Message>;
  /** What Discord makes of a link a moment later: an update that is no edit. */
  unfurl(message: Readonly<Message>, embeds: readonly unknown[]): void;
  delete(): void;
};

/** Makes the outside view of a channel. */
export function createChannelView({ world }: Stage, channel: Channel): SimulatedChannel {
  const isBot = (userId: string): boolean => world.applications.has(userId);
  const change = (changing: () => void): void => {
    changing();
    announceChannel(world, channel, "UPDATE");
  };
  return {
    id: channel.id,
    guildId: channel.guildId,
    type: channel.type,
    tags: channel.tags,
    recipientIds: channel.recipientIds,
    get name() {
      return channel.name;
    },
    get isArchived() {
      return channel.thread?.isArchived ?? false;
    },
    messages: () => channel.messages,
    botMessage({ after, matches = () => true, ...waiting } = {}) {
      const find = (): Message | null => {
        const start = after ? placeOf(channel.messages, after.id) : 0;
        for (let place = start; place < channel.messages.length; place += 1) {
          const message = channel.messages[place];
          if (message && message.id !== after?.id && isBot(message.authorId) && matches(message)) return message;
        }
        return null;
      };
      return waitUntil(world, { what: `a bot's message in ${channel.name ?? channel.id}`, find }, waiting);
    },
    botEdit({ matches = () => true, ...waiting } = {}) {
      return waitFor(
        world,
        {
          what: `a bot's edit in ${channel.name ?? channel.id}`,
          pick: ({ subject }) =>
            subject.type === "edit" &&
            subject.message.channelId === channel.id &&
            isBot(subject.message.authorId) &&
            matches(subject.message)
              ? subject.message
              : null,
        },
        waiting,
      );
    },
    botTyping: (waiting) =>
      waitFor(
        world,
        {
          what: `a bot that types in ${channel.name ?? channel.id}`,
          pick: ({ subject }) =>
            subject.type === "typing" && subject.channelId === channel.id && isBot(subject.userId)
              ? subject.userId
              : null,
        },
        waiting,
      ),
    botReaction: (waiting) =>
      waitFor(
        world,
        {
          what: `a bot's reaction in ${channel.name ?? channel.id}`,
          pick: ({ subject }) =>
            subject.type === "reaction" && subject.message.channelId === channel.id && isBot(subject.userId)
              ? { message: subject.message, emoji: subject.emoji }
              : null,
        },
        waiting,
      ),
    setPermissions({ id }, { allow = [], deny = [] }) {
      const isRole = world.guilds.get(channel.guildId ?? "")?.roles.has(id) ?? false;
      change(() =>
        channel.overwrites.set(id, {
          id,
          type: isRole ? 0 : 1,
          allow: permissionsOf(allow),
          deny: permissionsOf(deny),
        }),
      );
    },
    rename: (name) => change(() => Object.assign(channel, { name })),
    setSlowmode: (slowmodeSeconds) => change(() => Object.assign(channel, { slowmodeSeconds })),
    setArchived(isArchived) {
      const { thread } = channel;
      if (thread) change(() => Object.assign(thread, { isArchived, archivedMs: world.clock.now() }));
    },
    setLocked(isLocked) {
      const { thread } = channel;
      if (thread) change(() => Object.assign(thread, { isLocked }));
    },
    notice: (type, by, content = "") =>
      createMessage(world, { channel, authorId: by.id, body: { ...emptyBody, content }, type }),
    unfurl({ id }, embeds) {
      const message = messageIn(world, channel, id);
      message.embeds = [...message.embeds, ...embeds];
      announceEdit(world, message);
    },
    delete: () => removeChannel(world, channel),
  };
}
