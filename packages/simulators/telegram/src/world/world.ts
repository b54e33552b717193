import type {
  MessageContent,
  TelegramMarkup,
  TelegramMessage,
  TelegramOrigin,
  TelegramReaction,
  TelegramUser,
} from "../payload.ts";
import type { UpdateQueue } from "../update/update-queue.ts";
import type { Webhook } from "../update/webhook.ts";
import type { Bus } from "./bus.ts";
import type { FileStore } from "./file-store.ts";

/** Where the simulator takes the time from: milliseconds since 1970. */
export type Clock = { now(): number };

/** How the simulator waits; the returned function ends the wait. */
export type Timers = { after(delayMs: number, run: () => void): () => void };

/** Somebody with an account, a bot included. */
export type User = {
  readonly id: number;
  readonly isBot: boolean;
  firstName: string;
  lastName: string | undefined;
  username: string | undefined;
  languageCode: string | undefined;
  isDeactivated: boolean;
};

/** A command as a bot has set it. */
export type Command = { readonly command: string; readonly description: string };

/** A bot: a user with a token and a queue of updates. */
export type Bot = {
  readonly user: User;
  token: string;
  hasPrivacyMode: boolean;
  canJoinGroups: boolean;
  /** The next message number in its private chats and basic groups, which share one row. */
  nextMessageId: number;
  readonly commands: Map<string, readonly Command[]>;
  readonly updates: UpdateQueue;
  readonly webhook: Webhook;
};

/** What an administrator may do, by the Bot API's names. */
export type Rights = Readonly<Record<string, boolean>>;

/** How somebody stands to a chat. @see https://core.telegram.org/bots/api#chatmember */
export type Member = {
  readonly user: User;
  readonly status: "creator" | "administrator" | "member" | "restricted" | "left" | "kicked";
  /** Of an administrator: its rights; of a restricted one: its permissions. */
  readonly rights: Rights;
  readonly title?: string;
};

/** A topic of a forum. The General one has the id 1. */
export type Topic = {
  readonly id: number;
  name: string;
  readonly iconColor: number;
  isClosed: boolean;
  readonly created: Message | null;
};

/** A conversation. */
export type Chat = {
  /** As a private chat's bot sees it: the user's id. */
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  title: string;
  username: string | undefined;
  isForum: boolean;
  /** Both sides of a private chat. */
  readonly pair: { readonly bot: Bot; readonly user: User } | null;
  /** Of a private chat: the user has written to the bot. */
  isStarted: boolean;
  /** Of a private chat: the user has blocked the bot. */
  isBlocked: boolean;
  readonly members: Map<number, Member>;
  readonly topics: Map<number, Topic>;
  /** What everybody may send, by the Bot API's names; what is absent is allowed. */
  permissions: Rights;
  /** The emoji that may be used as reactions; all when null. */
  reactions: readonly string[] | null;
  migratedTo: number | null;
  lastBotId: number | null;
  nextMessageId: number;
  readonly messages: Message[];
  /** By whose numbering and number; see `message-id.ts`. */
  readonly byId: Map<string, Message>;
  readonly pinned: Message[];
};

/** A message, whoever sees it under whatever number. */
export type Message = {
  readonly chat: Chat;
  /** Its number in each numbering: a bot's own, or the chat's (0). */
  readonly ids: Map<number, number>;
  readonly from: User | null;
  /** Who made it, also where the channel speaks; null when nobody says. */
  readonly by: User | null;
  readonly senderChat: Chat | null;
  readonly dateMs: number;
  editedMs: number | null;
  content: MessageContent;
  replyTo: Message | null;
  readonly quote: TelegramMessage["quote"] | null;
  externalReply: Message | null;
  readonly origin: TelegramOrigin | null;
  readonly threadId: number | null;
  readonly isInTopic: boolean;
  readonly mediaGroupId: string | null;
  readonly isProtected: boolean;
  readonly pins: Message | null;
  markup: TelegramMarkup | null;
  isDeleted: boolean;
  readonly reactions: Map<number, readonly TelegramReaction[]>;
};

/** A pressed button that waits for its answer. */
type CallbackQuery = {
  readonly id: string;
  readonly bot: Bot;
  readonly atMs: number;
  readonly answered: (answer: CallbackAnswer) => void;
  /** Nobody answers any more. */
  readonly expire: () => void;
};

/** What a bot answers to a pressed button. */
export type CallbackAnswer = { readonly text?: string; readonly showAlert: boolean; readonly url?: string };

/** Everything there is. */
export type World = {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly users: Map<number, User>;
  readonly bots: Map<number, Bot>;
  /** Groups, supergroups and channels. */
  readonly chats: Map<number, Chat>;
  /** By bot and user. */
  readonly privateChats: Map<string, Chat>;
  readonly callbacks: Map<string, CallbackQuery>;
  readonly files: FileStore;
  readonly bus: Bus;
  readonly callbackTtlMs: number;
  /** How many messages a chat keeps. */
  readonly keptMessages: number;
  nextId: number;
};

/** A user as payloads show it. */
export function renderUser(user: User): TelegramUser {
  return {
    id: user.id,
    is_bot: user.isBot,
    first_name: user.firstName,
    ...(user.lastName === undefined ? {} : { last_name: user.lastName }),
    ...(user.username === undefined ? {} : { username: user.username }),
    ...(user.languageCode === undefined || user.isBot ? {} : { language_code: user.languageCode }),
  };
}
