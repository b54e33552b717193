import { isPresent } from "./rights.ts";
import type { Bot, Chat, Message, World } from "./world.ts";

/**
 * Supergroups and channels number their messages themselves. In private chats and basic groups each account has one row
 * of numbers for all of them, so two bots know the same message of a basic group under two numbers.
 */
function numberingOf(chat: Chat, botId: number): number {
  return chat.type === "supergroup" || chat.type === "channel" ? 0 : botId;
}

/** Gives a new message its numbers. */
export function numberMessage(world: World, message: Message): void {
  const { chat } = message;
  const bots = chat.pair
    ? [chat.pair.bot]
    : [...chat.members.values()].filter(isPresent).flatMap(({ user }) => world.bots.get(user.id) ?? []);
  const numberings = new Set(bots.map((bot) => numberingOf(chat, bot.user.id)));
  if (numberings.size === 0) numberings.add(0);
  for (const numbering of numberings) {
    const owner = numbering === 0 ? chat : world.bots.get(numbering);
    if (!owner) continue;
    const id = owner.nextMessageId;
    owner.nextMessageId += 1;
    message.ids.set(numbering, id);
    chat.byId.set(`${numbering}:${id}`, message);
  }
}

/** The number a bot knows a message by; any number of it for who is no bot. */
export function messageId(message: Message, botId: number): number {
  return message.ids.get(numberingOf(message.chat, botId)) ?? message.ids.values().next().value ?? 0;
}

/** The message a bot means by a number; null when there is none, or none any more. */
export function findMessage(chat: Chat, bot: Bot, id: number): Message | null {
  const message = chat.byId.get(`${numberingOf(chat, bot.user.id)}:${id}`);
  return message && !message.isDeleted ? message : null;
}

/** The message shown to whoever looks from outside under this number. */
export function findShownMessage(chat: Chat, id: number): Message | null {
  const found = chat.messages.findLast((message) => messageId(message, 0) === id);
  return found && !found.isDeleted ? found : null;
}
