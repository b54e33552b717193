import type { Content, Entity, Inbound, JsonObject, PlatformChange, Room, World } from "@troupe/core";
import { entityIdOf, messageMemoryId, roomIdOf, worldIdOf } from "@troupe/core/memory";
import { attachmentsOf, describedContent } from "./attachments.ts";
import { toCommand } from "./commands.ts";
import { answeredMessage, mentionsIn, readableText, type Self, topicNameOf } from "./heard-text.ts";
import { type Chat, fieldsOf, type Message, readMessage, readUser, textIn, type User } from "./payload.ts";

/** Which agent hears an update. */
export type Hearer = Self & {
  readonly agentId: string;
  readonly account: string;
  /** The names of the commands there are. */
  readonly commands: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** What is older than this is too late to be answered. */
  readonly answerWithinMs: number;
};

/** The platform's id of a room: a chat, or a topic of one. */
function roomPlatformIdOf(chatId: number | string, topicId?: number): string {
  return topicId === undefined ? String(chatId) : `${chatId}/${topicId}`;
}

/** The platform's id of a message. It carries the chat, for numbers repeat between chats. */
export function messagePlatformIdOf(chatId: number | string, messageId: number | string): string {
  return `${chatId}:${messageId}`;
}

/** The room a message stands in. */
export function toRoom({ account }: Pick<Hearer, "account">, chat: Chat, topic?: Topic): Room {
  const platformId = roomPlatformIdOf(chat.id, topic?.id);
  const name = topic ? topic.name : chat.name;
  return {
    id: roomIdOf("telegram", account, platformId),
    platform: "telegram",
    account,
    platformId,
    channelType: channelTypeOf(chat, topic),
    ...(chat.type !== "private" && { worldId: worldIdOf("telegram", account, String(chat.id)) }),
    ...(name !== undefined && { name }),
    ...(topic && { data: { parentPlatformId: String(chat.id) } }),
  };
}

type Topic = { readonly id: number; readonly name?: string };

function topicOf(message: Message): Topic | undefined {
  if (message.topicId === undefined) return undefined;
  const name = topicNameOf(message);
  return { id: message.topicId, ...(name !== undefined && { name }) };
}

function channelTypeOf(chat: Chat, topic: Topic | undefined): Room["channelType"] {
  switch (chat.type) {
    case "private":
      return "dm";
    case "channel":
      return "feed";
    case "group":
    case "supergroup":
      return topic ? "thread" : "group";
  }
}

/** The group or channel as a world; a conversation between two is none. */
export function toWorld({ account }: Pick<Hearer, "account">, chat: Chat): { readonly world?: World } {
  if (chat.type === "private") return {};
  const platformId = String(chat.id);
  return {
    world: {
      id: worldIdOf("telegram", account, platformId),
      platform: "telegram",
      account,
      platformId,
      ...(chat.name !== undefined && { name: chat.name }),
    },
  };
}

/** Somebody, as this bot sees them. */
export function toEntity({ account }: Pick<Hearer, "account">, who: User): Entity {
  const { username, languageCode } = who;
  return {
    ...{ platform: "telegram", account, platformId: String(who.id), name: who.name, isBot: who.isBot },
    id: entityIdOf("telegram", account, String(who.id)),
    ...((username !== undefined || languageCode !== undefined) && {
      data: { ...(username !== undefined && { username }), ...(languageCode !== undefined && { languageCode }) },
    }),
  };
}

/** Who says a message: a person, or the chat in whose name it is said. */
function speakerOf({ from, senderChat, chat }: Message): User {
  const asChat = senderChat ?? (from ? undefined : chat);
  if (!asChat && from) return from;
  const { id, name, username } = asChat ?? chat;
  return {
    id,
    isBot: false,
    name: name ?? (username === undefined ? `Chat ${id}` : `@${username}`),
    ...(username !== undefined && { username }),
  };
}

/** The Memory id of a message of a room. */
export function memoryIdOf({ account }: Pick<Hearer, "account">, room: string, messagePlatformId: string): string {
  return messageMemoryId({ platform: "telegram", account, room, message: messagePlatformId });
}

/** The event of a message that was said; null when it is the agent's own, or nothing that can be read. */
export function toInbound(message: Message, hearer: Hearer): Inbound | null {
  if (message.from?.id === hearer.botId) return null;
  const { account, agentId } = hearer;
  const { chat } = message;
  const content = toContent(message, hearer);
  if (!content) return null;
  const room = toRoom(hearer, chat, topicOf(message));
  const entity = toEntity(hearer, speakerOf(message));
  const platformId = messagePlatformIdOf(chat.id, message.id);
  const createdAt = message.date * 1_000;
  const isLate = hearer.now - createdAt > hearer.answerWithinMs;
  return {
    eventId: `message:${platformId}`,
    kind: content.command === undefined ? "message" : "command",
    ...toWorld(hearer, chat),
    room,
    entity,
    memory: {
      id: memoryIdOf({ account }, room.platformId, platformId),
      agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content,
      createdAt,
      platformId,
      metadata: { ...metadataOf(message), ...(isLate && { late: true }) },
    },
  };
}

/** The change that an edit is; null when nothing of it can be read. */
export function toEdited(message: Message, hearer: Hearer): PlatformChange | null {
  const content = message.from?.id === hearer.botId ? null : toContent(message, hearer);
  if (!content) return null;
  const room = toRoom(hearer, message.chat, topicOf(message));
  const memoryId = memoryIdOf(hearer, room.platformId, messagePlatformIdOf(message.chat.id, message.id));
  return { kind: "edited", roomId: room.id, memoryId, content };
}

/** What a message says; null for what nobody said: somebody joined, a photo of the group was changed … */
function toContent(message: Message, hearer: Hearer): Content | null {
  const { chat, fields } = message;
  const attachments = attachmentsOf(fields);
  const command = toCommand(message, hearer);
  const own = command?.text ?? readableText(message, hearer);
  const described = describedContent(fields);
  const said = [described, own].filter((part) => part !== undefined && part !== "").join("\n");
  if (said === "" && attachments.length === 0) return null;
  const room = toRoom(hearer, chat, topicOf(message));
  const answered = answeredMessage(message);
  const mentions = mentionsIn(message, hearer);
  return {
    text: command?.call ? said : [...forwardLine(message), ...quotedLines(message, hearer), said].join("\n").trimEnd(),
    source: "telegram",
    channelType: room.channelType,
    mentionContext: command?.isForeign === true ? { ...mentions, mentionsOther: true } : mentions,
    ...(attachments.length > 0 && { attachments }),
    ...(answered && { inReplyTo: memoryIdOf(hearer, room.platformId, messagePlatformIdOf(chat.id, answered.id)) }),
    ...(command?.call && { command: command.call }),
    ...linkOf(message),
  };
}

function linkOf({ chat, id, topicId }: Message): { readonly url?: string } {
  const topic = topicId === undefined ? "" : `/${topicId}`;
  if (chat.type !== "supergroup" && chat.type !== "channel") return {};
  if (chat.username !== undefined) return { url: `https://t.me/${chat.username}${topic}/${id}` };
  const [, short] = /^-100(\d+)$/.exec(String(chat.id)) ?? [];
  return short === undefined ? {} : { url: `https://t.me/c/${short}${topic}/${id}` };
}

function forwardLine({ fields }: Message): readonly string[] {
  const name = originName(fields["forward_origin"]);
  return name === undefined ? [] : [`[forwarded from ${name}]`];
}

/** Who wrote what was forwarded. @see https://core.telegram.org/bots/api#messageorigin */
function originName(value: unknown): string | undefined {
  const origin = fieldsOf(value);
  if (!origin) return undefined;
  const chat = fieldsOf(origin["sender_chat"]) ?? fieldsOf(origin["chat"]);
  return (
    readUser(origin["sender_user"])?.name ?? textIn(origin, "sender_user_name") ?? textIn(chat, "title") ?? "somebody"
  );
}

const longestQuote = 500;

/** What is answered, where the agent may not know it: a part somebody chose, or what somebody else said. */
function quotedLines(message: Message, hearer: Hearer): readonly string[] {
  const chosen = textIn(fieldsOf(message.fields["quote"]), "text");
  const answered = answeredMessage(message);
  const isOwn = answered?.from?.id === hearer.botId;
  const whole = answered && !isOwn ? (describedContent(answered.fields) ?? readableText(answered, hearer)) : "";
  const quoted = (chosen ?? whole).trim();
  if (quoted === "") return [];
  const cut = quoted.length > longestQuote ? `${quoted.slice(0, longestQuote).toWellFormed()}…` : quoted;
  const who = answered && !isOwn ? `${speakerOf(answered).name}: ` : "";
  return [...`${who}${cut}`.split("\n").map((line) => `> ${line}`), ""];
}

function metadataOf(message: Message): JsonObject {
  const { chat, id, from, topicId, fields } = message;
  const answered = answeredMessage(message);
  const album = textIn(fields, "media_group_id");
  const forwardedFrom = originName(fields["forward_origin"]);
  return {
    chatId: chat.id,
    chatType: chat.type,
    messageId: id,
    ...(from && { fromId: from.id }),
    ...(from?.username !== undefined && { username: from.username }),
    ...(topicId !== undefined && { messageThreadId: topicId }),
    ...(answered && { replyToMessageId: answered.id }),
    ...(answered?.from && { replyToFromId: answered.from.id }),
    ...(album !== undefined && { mediaGroupId: album }),
    ...(forwardedFrom !== undefined && { forwardedFrom }),
  };
}

/** A message whose content cannot be seen any more still has its place. */
export function placeOf(value: unknown, hearer: Pick<Hearer, "account">) {
  const message = readMessage(value);
  if (!message) return null;
  return { message, room: toRoom(hearer, message.chat, topicOf(message)) };
}
