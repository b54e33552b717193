import { isReaction } from "../api/reactions.ts";
import type { TelegramMessage, TelegramUser } from "../payload.ts";
import { privateChat } from "../world/chats.ts";
import { changeMember, joinChat, leaveChat, react, setBlocked } from "../world/members.ts";
import { deleteMessage, editMessage, postMessage } from "../world/post.ts";
import { originOf } from "../world/render.ts";
import { adminRights, hasRight, isPermitted, isPresent } from "../world/rights.ts";
import { type Chat, type Rights, renderUser, type User } from "../world/world.ts";
import type { BotHandle } from "./bot-handle.ts";
import { type ChatHandle, chatHandle } from "./chat-handle.ts";
import { type PressedButton, pressButton } from "./press.ts";
import type { Registry } from "./registry.ts";
import { editedContent, type Said, saidContent } from "./said.ts";

/** Where somebody speaks: a chat, or in private with a bot. */
export type Place = ChatHandle | BotHandle;

/** Somebody who uses Telegram. What Telegram's apps would not let them do throws an Error. */
export type UserHandle = {
  readonly id: number;
  readonly user: TelegramUser;
  say(place: Place, said: Said): TelegramMessage;
  edit(message: TelegramMessage, said: Said): TelegramMessage;
  remove(message: TelegramMessage): void;
  forward(message: TelegramMessage, place: Place): TelegramMessage;
  /** Sets the reactions to a message; none takes them back. */
  react(message: TelegramMessage, ...emojis: readonly string[]): void;
  /** Presses the button of this label, or with this callback data. */
  press(message: TelegramMessage, button: string): PressedButton;
  chatWith(bot: BotHandle): ChatHandle;
  join(chat: ChatHandle): void;
  leave(chat: ChatHandle): void;
  invite(chat: ChatHandle, who: UserHandle | BotHandle): void;
  expel(chat: ChatHandle, who: UserHandle | BotHandle): void;
  /** Makes somebody an administrator; rights as the Bot API calls them, all when absent. */
  promote(chat: ChatHandle, who: UserHandle | BotHandle, rights?: Rights): void;
  /** Makes somebody an ordinary member, or one who lacks these permissions. */
  demote(chat: ChatHandle, who: UserHandle | BotHandle, permissions?: Rights): void;
  block(bot: BotHandle): void;
  unblock(bot: BotHandle): void;
  /** The account is deleted. */
  deactivate(): void;
};

/** The handle of a user. */
export function userHandle(registry: Registry, user: User): UserHandle {
  return registry.handle(user, () => ({
    id: user.id,
    user: renderUser(user),
    ...speaking(registry, user),
    ...moving(registry, user),
    deactivate() {
      user.isDeactivated = true;
    },
  }));
}

type Speaking = Pick<UserHandle, "say" | "edit" | "remove" | "forward" | "react" | "press" | "chatWith">;

function speaking(registry: Registry, user: User): Speaking {
  const { world } = registry;
  const own = (view: TelegramMessage) => {
    const message = registry.message(view);
    if (message.by !== user) throw new Error(`Message ${view.message_id} is not of ${user.firstName}`);
    return message;
  };
  return {
    say(place, said) {
      const chat = placeOf(registry, user, place);
      const options = typeof said === "string" ? {} : said;
      checkMaySpeak(chat, user, options.topic ?? null);
      const replyTo = options.replyTo ? registry.message(options.replyTo) : null;
      const message = postMessage(world, {
        chat,
        from: chat.type === "channel" ? null : user,
        by: user,
        senderChat: chat.type === "channel" ? chat : null,
        content: saidContent(world, said),
        replyTo: replyTo?.chat === chat ? replyTo : null,
        externalReply: replyTo && replyTo.chat !== chat ? replyTo : null,
        quote:
          options.quote && replyTo
            ? quoteOf(replyTo.content.text ?? replyTo.content.caption ?? "", options.quote)
            : null,
        topicId: options.topic ?? null,
        mediaGroupId: options.album ?? null,
      });
      chat.isStarted = true;
      return registry.show(message);
    },
    edit(view, said) {
      const message = own(view);
      editMessage(world, message, { content: editedContent(world, message.content, said) }, user);
      return registry.show(message);
    },
    remove: (view) => deleteMessage(world, registry.message(view), user),
    forward(view, place) {
      const message = registry.message(view);
      const chat = placeOf(registry, user, place);
      if (message.isProtected) throw new Error(`Message ${view.message_id} is protected from being forwarded`);
      checkMaySpeak(chat, user, null);
      const [botId = 0] = message.ids.keys();
      chat.isStarted = true;
      return registry.show(
        postMessage(world, { chat, from: user, content: message.content, origin: originOf(message, botId) }),
      );
    },
    react(view, ...emojis) {
      const message = registry.message(view);
      const odd = emojis.find((emoji) => !isReaction(message.chat, emoji));
      if (odd !== undefined) throw new Error(`${odd} is no reaction that is possible in chat ${message.chat.id}`);
      const plain = emojis.map((emoji) => ({ type: "emoji" as const, emoji: emoji.replaceAll("\ufe0f", "") }));
      react(world, { message, user, reactions: plain });
    },
    press: (view, button) => pressButton(registry, { message: registry.message(view), user, button }),
    chatWith: (bot) => chatHandle(registry, placeOf(registry, user, bot)),
  };
}

type Moving = Pick<UserHandle, "join" | "leave" | "invite" | "expel" | "promote" | "demote" | "block" | "unblock">;

function moving(registry: Registry, user: User): Moving {
  const { world } = registry;
  const chatOf = (handle: ChatHandle) => found(registry.chat(handle), "chat");
  const accountOf = (handle: UserHandle | BotHandle) =>
    found(registry.user(handle) ?? registry.bot(handle)?.user ?? null, "user or bot");
  return {
    join: (handle) => joinChat(world, { chat: chatOf(handle), user }),
    leave: (handle) => leaveChat(world, { chat: chatOf(handle), user }),
    invite(handle, who) {
      const account = accountOf(who);
      if (world.bots.get(account.id)?.canJoinGroups === false)
        throw new Error(`@${account.username} may not join groups`);
      joinChat(world, { chat: chatOf(handle), user: account, by: user });
    },
    expel: (handle, who) => leaveChat(world, { chat: chatOf(handle), user: accountOf(who), by: user }),
    promote(handle, who, rights) {
      const chat = chatOf(handle);
      changeMember(world, {
        chat,
        by: user,
        member: { user: accountOf(who), status: "administrator", rights: adminRights(chat, rights) },
      });
    },
    demote(handle, who, permissions) {
      const status = permissions ? "restricted" : "member";
      changeMember(world, {
        chat: chatOf(handle),
        by: user,
        member: { user: accountOf(who), status, rights: permissions ?? {} },
      });
    },
    block: (bot) => setBlocked(world, placeOf(registry, user, bot), true),
    unblock: (bot) => setBlocked(world, placeOf(registry, user, bot), false),
  };
}

function found<T>(thing: T | null, name: string): T {
  if (thing === null) throw new Error(`This ${name} is of another simulator`);
  return thing;
}

function placeOf(registry: Registry, user: User, place: Place): Chat {
  const bot = registry.bot(place);
  return bot ? privateChat(registry.world, bot, user) : found(registry.chat(place), "chat");
}

/** @throws Error when Telegram's apps would not let this user write there. */
function checkMaySpeak(chat: Chat, user: User, topicId: number | null): void {
  const who = user.firstName;
  if (chat.pair) {
    if (chat.pair.user !== user) throw new Error(`${who} cannot write in somebody else's private chat`);
    if (chat.isBlocked) throw new Error(`${who} has blocked @${chat.pair.bot.user.username}: unblock it first`);
    return;
  }
  const member = chat.members.get(user.id);
  if (chat.migratedTo !== null) throw new Error(`Chat ${chat.id} went to ${chat.migratedTo}`);
  if (!isPresent(member)) throw new Error(`${who} is not in ${chat.title}: let them join first`);
  if (chat.type === "channel" && !hasRight(member, "can_post_messages"))
    throw new Error(`${who} may not post in ${chat.title}`);
  if (!isPermitted(chat, member, "can_send_messages")) throw new Error(`${who} may not write in ${chat.title}`);
  const topic = topicId === null ? undefined : chat.topics.get(topicId);
  if (topicId !== null && !topic) throw new Error(`There is no topic ${topicId} in ${chat.title}`);
  if (topic?.isClosed && !hasRight(member, "can_manage_topics")) throw new Error(`The topic ${topic.name} is closed`);
}

function quoteOf(
  whole: string,
  quote: string,
): { readonly text: string; readonly position: number; readonly is_manual: true } {
  const position = whole.indexOf(quote);
  if (position < 0) throw new Error("What is quoted is not in the message that is answered");
  return { text: quote, position, is_manual: true };
}
