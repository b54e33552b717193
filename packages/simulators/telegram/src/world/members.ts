import type { TelegramReaction } from "../payload.ts";
import { botsIn, notify } from "./deliver.ts";
import { messageId } from "./message-id.ts";
import { postMessage } from "./post.ts";
import { renderChat, renderMember, toSeconds } from "./render.ts";
import { isAdmin, isPresent } from "./rights.ts";
import { type Chat, type Member, type Message, renderUser, type User, type World } from "./world.ts";

/** Sets how somebody stands to a chat and tells the bots: the one concerned, and those that run the chat. */
export function changeMember(
  world: World,
  { chat, by, member }: { readonly chat: Chat; readonly by: User; readonly member: Member },
): void {
  const { user } = member;
  const old = chat.members.get(user.id) ?? { user, status: "left", rights: {} };
  const payload = {
    chat: renderChat(chat),
    from: renderUser(by),
    date: toSeconds(world.clock.now()),
    old_chat_member: renderMember(old),
    new_chat_member: renderMember(member),
  };
  chat.members.set(user.id, member);
  const own = world.bots.get(user.id);
  if (own) notify(own, { kind: "my_chat_member", payload, chat });
  for (const bot of botsIn(world, chat)) {
    if (bot !== own && isAdmin(chat.members.get(bot.user.id))) notify(bot, { kind: "chat_member", payload, chat });
  }
}

/** Somebody comes in, invited by somebody or alone. */
export function joinChat(
  world: World,
  { chat, user, by = user }: { readonly chat: Chat; readonly user: User; readonly by?: User },
): void {
  if (isPresent(chat.members.get(user.id))) return;
  changeMember(world, { chat, by, member: { user, status: "member", rights: {} } });
  if (chat.type !== "channel")
    postMessage(world, { chat, from: by, content: { new_chat_members: [renderUser(user)] } });
}

/** Somebody goes, alone or removed by somebody; who is removed from a supergroup or channel stays out. */
export function leaveChat(
  world: World,
  { chat, user, by = user }: { readonly chat: Chat; readonly user: User; readonly by?: User },
): void {
  if (!isPresent(chat.members.get(user.id))) return;
  const member: Member = { user, status: by === user ? "left" : "kicked", rights: {} };
  if (chat.type !== "channel") postMessage(world, { chat, from: by, content: { left_chat_member: renderUser(user) } });
  changeMember(world, { chat, by, member });
}

/** A user blocks or unblocks the bot of a private chat. */
export function setBlocked(world: World, chat: Chat, isBlocked: boolean): void {
  if (!chat.pair || chat.isBlocked === isBlocked) return;
  const { bot, user } = chat.pair;
  chat.isBlocked = isBlocked;
  const states: readonly Member[] = [
    { user: bot.user, status: "member", rights: {} },
    { user: bot.user, status: "kicked", rights: {} },
  ];
  const [old, now] = isBlocked ? states : states.toReversed();
  if (!old || !now) return;
  const payload = {
    chat: renderChat(chat),
    from: renderUser(user),
    date: toSeconds(world.clock.now()),
    old_chat_member: renderMember(old),
    new_chat_member: renderMember(now),
  };
  notify(bot, { kind: "my_chat_member", payload, chat });
}

/** Sets what somebody thinks of a message; a bot's opinion is not told to bots. */
export function react(
  world: World,
  {
    message,
    user,
    reactions,
  }: { readonly message: Message; readonly user: User; readonly reactions: readonly TelegramReaction[] },
): void {
  const { chat } = message;
  const old = message.reactions.get(user.id) ?? [];
  message.reactions.set(user.id, reactions);
  if (world.bots.has(user.id)) {
    world.bus.emit({ type: "reaction", chat, by: user, message, reactions });
    return;
  }
  world.bus.tell({ type: "reaction", chat, by: user, message, reactions });
  for (const bot of botsIn(world, chat)) {
    if (!chat.pair && !isAdmin(chat.members.get(bot.user.id))) continue;
    const payload = {
      chat: renderChat(chat),
      message_id: messageId(message, bot.user.id),
      user: renderUser(user),
      date: toSeconds(world.clock.now()),
      old_reaction: old,
      new_reaction: reactions,
    };
    notify(bot, { kind: "message_reaction", payload, chat });
  }
}
