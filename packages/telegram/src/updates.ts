import type { Inbound, PlatformChange } from "@troupe/core";
import {
  type Hearer,
  memoryIdOf,
  messagePlatformIdOf,
  placeOf,
  toEdited,
  toEntity,
  toInbound,
  toRoom,
  toWorld,
} from "./inbound.ts";
import {
  type Fields,
  fieldsOf,
  integerIn,
  listIn,
  type Message,
  readChat,
  readMessage,
  readUser,
  textIn,
  type User,
} from "./payload.ts";

/** The kinds of updates this client asks for; reactions and members come to those only who ask. */
export const wantedUpdates = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "callback_query",
  "message_reaction",
  "my_chat_member",
  "chat_member",
] as const;

/** What an update comes to. */
export type Heard = {
  readonly events: readonly (Inbound | PlatformChange)[];
  /** The pressed button that waits for an answer. */
  readonly callbackId?: string;
};

/** What is known beside the update itself. */
export type UpdateHearer = Hearer & {
  /** In which topic of a forum a message stands, as far as it was seen; reactions do not say so. */
  topicOf(chatId: number, messageId: number): number | undefined;
  /** What a button of ours stands for. */
  choiceOf(data: string): string;
};

const nothing: Heard = { events: [] };

/** Everything an update tells, in order; nothing when it tells nothing, or nothing that is understood. */
export function toHeard(update: unknown, hearer: UpdateHearer): Heard {
  const fields = fieldsOf(update);
  const said = readMessage(fields?.["message"]) ?? readMessage(fields?.["channel_post"]);
  if (said) return { events: toEvents(said, hearer) };
  const edited = readMessage(fields?.["edited_message"]) ?? readMessage(fields?.["edited_channel_post"]);
  if (edited) {
    const change = toEdited(edited, hearer);
    return { events: change ? [change] : [] };
  }
  const query = fieldsOf(fields?.["callback_query"]);
  if (query) return toPress(query, hearer);
  const reaction = fieldsOf(fields?.["message_reaction"]);
  if (reaction) return toReactions(reaction, integerIn(fields, "update_id") ?? 0, hearer);
  const member = fieldsOf(fields?.["my_chat_member"]) ?? fieldsOf(fields?.["chat_member"]);
  return member ? toMembership(member, hearer) : nothing;
}

/** What a message tells: what was said in it, or what happened. */
function toEvents(message: Message, hearer: UpdateHearer): readonly (Inbound | PlatformChange)[] {
  const { fields, chat } = message;
  const to = integerIn(fields, "migrate_to_chat_id");
  if (to !== undefined) return [moved(chat.id, { ...chat, id: to, type: "supergroup" }, hearer)];
  const from = integerIn(fields, "migrate_from_chat_id");
  if (from !== undefined) return [moved(from, chat, hearer)];
  const place = { ...toWorld(hearer, chat), room: toRoom(hearer, chat) };
  // That the agent itself came or went is told by an update of its own.
  const isOther = (user: User | null): user is User => user !== null && user.id !== hearer.botId;
  const joined = listIn(fields, "new_chat_members").map(readUser).filter(isOther);
  if (joined.length > 0) return joined.map((user) => ({ kind: "joined", ...place, ...who(user, hearer) }));
  const left = readUser(fields["left_chat_member"]);
  if (isOther(left)) return [{ kind: "left", ...place, ...who(left, hearer) }];
  if (["forum_topic_created", "forum_topic_edited", "new_chat_title"].some((event) => event in fields)) {
    const room = placeOf(fields, hearer)?.room ?? place.room;
    return [{ kind: "room", ...toWorld(hearer, chat), room }];
  }
  const inbound = toInbound(message, hearer);
  return inbound ? [inbound] : [];
}

function moved(fromChatId: number, chat: Message["chat"], hearer: Hearer): PlatformChange {
  const before = toRoom(hearer, { ...chat, id: fromChatId });
  return { kind: "moved", fromRoomId: before.id, room: toRoom(hearer, chat) };
}

const who = (user: User, hearer: Hearer) => ({ entity: toEntity(hearer, user), isAgent: user.id === hearer.botId });

const present: ReadonlySet<string> = new Set(["creator", "administrator", "member"]);

/** Somebody came, went, or was given another role; also that somebody blocked the bot. */
function toMembership(change: Fields, hearer: Hearer): Heard {
  const chat = readChat(change["chat"]);
  const now = fieldsOf(change["new_chat_member"]);
  const before = fieldsOf(change["old_chat_member"]);
  const user = readUser(now?.["user"]);
  if (!chat || !user) return nothing;
  const isIn = (member: Fields | null): boolean =>
    present.has(textIn(member, "status") ?? "") || member?.["is_member"] === true;
  if (isIn(now) === isIn(before)) return nothing;
  const kind = isIn(now) ? "joined" : "left";
  const place = { ...toWorld(hearer, chat), room: toRoom(hearer, chat) };
  return { events: [{ kind, ...place, ...who(user, hearer) }] };
}

/** Every emoji that somebody put to a message or took from it. */
function toReactions(reaction: Fields, updateId: number, hearer: UpdateHearer): Heard {
  const chat = readChat(reaction["chat"]);
  const messageId = integerIn(reaction, "message_id");
  const actor = readUser(reaction["user"]) ?? asUser(reaction["actor_chat"]);
  if (!chat || messageId === undefined || !actor || actor.id === hearer.botId) return nothing;
  const topicId = hearer.topicOf(chat.id, messageId);
  const room = toRoom(hearer, chat, topicId === undefined ? undefined : { id: topicId });
  const entity = toEntity(hearer, actor);
  const memoryId = memoryIdOf(hearer, room.platformId, messagePlatformIdOf(chat.id, messageId));
  const before = listIn(reaction, "old_reaction").map(emojiOf);
  const now = listIn(reaction, "new_reaction").map(emojiOf);
  const at = (integerIn(reaction, "date") ?? 0) * 1_000;
  const events = [
    ...before.filter((emoji) => !now.includes(emoji)).map((emoji) => ({ emoji, isAdded: false })),
    ...now.filter((emoji) => !before.includes(emoji)).map((emoji) => ({ emoji, isAdded: true })),
  ].map(({ emoji, isAdded }, index): PlatformChange => {
    const eventId = `reaction:${updateId}:${index}`;
    return { kind: "reaction", eventId, room, entity, memoryId, emoji, isAdded, at };
  });
  return { events };
}

function asUser(value: unknown): User | null {
  const chat = readChat(value);
  return chat ? { id: chat.id, isBot: false, name: chat.name ?? `Chat ${chat.id}` } : null;
}

function emojiOf(reaction: Fields): string {
  if (textIn(reaction, "type") === "paid") return "⭐";
  return textIn(reaction, "emoji") ?? `:${textIn(reaction, "custom_emoji_id") ?? "unknown"}:`;
}

/** A pressed button: the choice that was made, said in its own words. */
function toPress(query: Fields, hearer: UpdateHearer): Heard {
  const id = textIn(query, "id");
  const from = readUser(query["from"]);
  const data = textIn(query, "data");
  const place = placeOf(query["message"], hearer);
  if (id === undefined) return nothing;
  if (!from || data === undefined || !place) return { ...nothing, callbackId: id };
  const { message, room } = place;
  const value = hearer.choiceOf(data);
  const entity = toEntity(hearer, from);
  const inbound: Inbound = {
    eventId: `press:${id}`,
    kind: "command",
    ...toWorld(hearer, message.chat),
    room,
    entity,
    memory: {
      id: memoryIdOf(hearer, room.platformId, `press:${id}`),
      agentId: hearer.agentId,
      roomId: room.id,
      entityId: entity.id,
      type: "message",
      content: {
        text: labelOf(message, data) ?? value,
        source: "telegram",
        channelType: room.channelType,
        mentionContext: { mentionsAgent: true, repliesToAgent: true },
        inReplyTo: memoryIdOf(hearer, room.platformId, messagePlatformIdOf(message.chat.id, message.id)),
        command: { name: "choose", parameters: { value } },
      },
      createdAt: hearer.now,
      metadata: { chatId: message.chat.id, messageId: message.id, fromId: from.id },
    },
  };
  return { events: [inbound], callbackId: id };
}

function labelOf({ fields }: Message, data: string): string | undefined {
  const rows = fieldsOf(fields["reply_markup"])?.["inline_keyboard"];
  const buttons = Array.isArray(rows) ? rows.flatMap((row: unknown) => listIn({ row }, "row")) : [];
  return textIn(buttons.find((button) => button["callback_data"] === data) ?? null, "text");
}
