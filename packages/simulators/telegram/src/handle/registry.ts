import type { TelegramMessage } from "../payload.ts";
import { shown } from "../world/deliver.ts";
import { findShownMessage } from "../world/message-id.ts";
import type { Bot, Chat, Message, User, World } from "../world/world.ts";

/** What a handle stands for. */
export type Registry = {
  readonly world: World;
  /** The handle of a thing, made once. */
  handle<T extends object, H extends object>(thing: T, make: (thing: T) => H): H;
  chat(handle: object): Chat | null;
  user(handle: object): User | null;
  bot(handle: object): Bot | null;
  /** A message as it is shown; it is recognised when it is handed back. */
  show(message: Message): TelegramMessage;
  /** Remembers what was shown already. */
  remember(view: TelegramMessage, message: Message): TelegramMessage;
  /** The message somebody means. @throws Error when it is not there. */
  message(view: TelegramMessage): Message;
};

/** Handles and the world's things, one to one. */
export function createRegistry(world: World): Registry {
  const handles = new WeakMap<object, object>();
  const things = new WeakMap<object, object>();
  const views = new WeakMap<TelegramMessage, Message>();
  const thing = (handle: object): object | null => things.get(handle) ?? null;
  const own: Registry = {
    world,
    handle<T extends object, H extends object>(of: T, make: (of: T) => H): H {
      const there = handles.get(of);
      // A thing has handles of one kind only: there is one function that makes them.
      if (there) return there as H;
      const handle = make(of);
      handles.set(of, handle);
      things.set(handle, of);
      return handle;
    },
    // What was registered for a handle is what it was made of; the fields tell the kinds apart.
    chat(handle) {
      const found = thing(handle);
      return found && "byId" in found ? (found as Chat) : null;
    },
    user(handle) {
      const found = thing(handle);
      return found && "firstName" in found ? (found as User) : null;
    },
    bot(handle) {
      const found = thing(handle);
      return found && "webhook" in found ? (found as Bot) : null;
    },
    show: (message) => own.remember(shown(message), message),
    remember(view, message) {
      views.set(view, message);
      return view;
    },
    message(view) {
      const message = views.get(view) ?? findAnywhere(world, view);
      if (message && !message.isDeleted) return message;
      throw new Error(`There is no message ${view.message_id} in chat ${view.chat.id}, or it was deleted`);
    },
  };
  return own;
}

function findAnywhere(world: World, { chat: { id }, message_id: number }: TelegramMessage): Message | null {
  const group = world.chats.get(id);
  if (group) return findShownMessage(group, number);
  for (const chat of world.privateChats.values()) {
    const found = chat.id === id ? findShownMessage(chat, number) : null;
    if (found) return found;
  }
  return null;
}
