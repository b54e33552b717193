import type { MessageContent, TelegramMarkup, TelegramMessage, TelegramOrigin } from "../payload.ts";
import { deliverMessage, shown } from "./deliver.ts";
import { numberMessage } from "./message-id.ts";
import type { Chat, Message, User, World } from "./world.ts";

/** A message to be. */
export type Draft = {
  readonly chat: Chat;
  /** Who says it; null in channels. */
  readonly from: User | null;
  readonly senderChat?: Chat | null;
  readonly content: MessageContent;
  readonly replyTo?: Message | null;
  readonly quote?: TelegramMessage["quote"] | null;
  readonly externalReply?: Message | null;
  readonly origin?: TelegramOrigin | null;
  /** The topic it is for; null or 1 for none or the General one. */
  readonly topicId?: number | null;
  readonly mediaGroupId?: string | null;
  readonly isProtected?: boolean;
  readonly pins?: Message | null;
  readonly markup?: TelegramMarkup | null;
  /** Who acts, where nobody speaks: a channel's bot. */
  readonly by?: User;
};

/** Puts a message into its chat and brings it to the bots. */
export function postMessage(world: World, draft: Draft): Message {
  const { chat, from, content } = draft;
  const thread = threadOf(draft);
  const message: Message = {
    chat,
    ids: new Map(),
    from,
    by: from ?? draft.by ?? null,
    senderChat: draft.senderChat ?? null,
    dateMs: world.clock.now(),
    editedMs: null,
    content,
    replyTo: draft.replyTo ?? null,
    quote: draft.quote ?? null,
    externalReply: draft.externalReply ?? null,
    origin: draft.origin ?? null,
    threadId: thread.id,
    isInTopic: thread.isTopic,
    mediaGroupId: draft.mediaGroupId ?? null,
    isProtected: draft.isProtected ?? false,
    pins: draft.pins ?? null,
    markup: draft.markup ?? null,
    isDeleted: false,
    reactions: new Map(),
  };
  numberMessage(world, message);
  chat.messages.push(message);
  dropOld(world, chat);
  const { by } = message;
  if (by && world.bots.has(by.id)) {
    chat.lastBotId = by.id;
    world.bus.emit({ type: "message", chat, by, message, view: shown(message) });
  } else if (by) world.bus.tell({ type: "message", chat, by, message, view: shown(message) });
  deliverMessage(world, message, false);
  return message;
}

/** Forgets the oldest messages, some at a time, with what hangs on them. */
function dropOld({ keptMessages }: World, chat: Chat): void {
  if (chat.messages.length <= keptMessages * 1.1) return;
  for (const message of chat.messages.splice(0, chat.messages.length - keptMessages)) {
    for (const [numbering, id] of message.ids) chat.byId.delete(`${numbering}:${id}`);
    message.replyTo = null;
    message.externalReply = null;
    message.isDeleted = true;
  }
}

/** In forums the topic; elsewhere in supergroups the message that a row of answers began with. */
function threadOf({ chat, topicId, replyTo }: Draft): { readonly id: number | null; readonly isTopic: boolean } {
  if (chat.type !== "supergroup") return { id: null, isTopic: false };
  if (chat.isForum) {
    const id = topicId ?? (replyTo?.isInTopic ? replyTo.threadId : null) ?? 1;
    return id === 1 ? { id: null, isTopic: false } : { id, isTopic: true };
  }
  if (!replyTo) return { id: null, isTopic: false };
  return { id: replyTo.threadId ?? replyTo.ids.get(0) ?? null, isTopic: false };
}

/** Changes a message and tells the bots that may see it. */
export function editMessage(
  world: World,
  message: Message,
  change: Partial<Pick<Message, "content" | "markup">>,
  by: User | null,
): void {
  const isContent = change.content !== undefined;
  Object.assign(message, change);
  // A changed keyboard alone is no edit that anybody is told of.
  if (isContent) message.editedMs = world.clock.now();
  if (by && world.bots.has(by.id))
    world.bus.emit({ type: "edit", chat: message.chat, by, message, view: shown(message) });
  else if (isContent) {
    if (by) world.bus.tell({ type: "edit", chat: message.chat, by, message, view: shown(message) });
    deliverMessage(world, message, true);
  }
}

/** Takes a message away. Bots are not told. */
export function deleteMessage(world: World, message: Message, by: User | null): void {
  const view = shown(message);
  message.isDeleted = true;
  if (by === null) return;
  const happening = { type: "delete", chat: message.chat, by, message, view } as const;
  if (world.bots.has(by.id)) world.bus.emit(happening);
  else world.bus.tell(happening);
}
