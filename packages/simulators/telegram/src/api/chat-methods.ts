import { badRequest } from "../api-error.ts";
import { present } from "../present.ts";
import { changeMember, leaveChat as leave } from "../world/members.ts";
import { renderChat, renderMember, renderMessage } from "../world/render.ts";
import { isAdmin, isPresent, permissionNames } from "../world/rights.ts";
import { type Chat, renderUser } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { checkRight, membership, namedChat, namedUserId } from "./target.ts";

/** @see https://core.telegram.org/bots/api#getme */
export const getMe: Method = ({ bot }) => ({
  ...renderUser(bot.user),
  can_join_groups: bot.canJoinGroups,
  can_read_all_group_messages: !bot.hasPrivacyMode,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
});

/** A chat the bot may look at. */
function visibleChat(call: Call): Chat {
  const chat = namedChat(call);
  if (!chat.pair && !chat.username) membership(call, chat);
  return chat;
}

/** @see https://core.telegram.org/bots/api#getchat */
export const getChat: Method = (call) => {
  const chat = visibleChat(call);
  const pinned = chat.pinned.at(-1);
  return {
    ...renderChat(chat),
    accent_color_id: 0,
    max_reaction_count: 11,
    ...(chat.reactions ? { available_reactions: chat.reactions.map((emoji) => ({ type: "emoji", emoji })) } : {}),
    ...(pinned ? { pinned_message: renderMessage(pinned, call.bot.user.id, true) } : {}),
    ...(chat.pair || chat.type === "channel"
      ? {}
      : { permissions: Object.fromEntries(permissionNames.map((name) => [name, chat.permissions[name] !== false])) }),
    ...present({
      active_usernames:
        (chat.pair?.user.username ?? chat.username) ? [chat.pair?.user.username ?? chat.username] : undefined,
    }),
  };
};

/** @see https://core.telegram.org/bots/api#getchatmember */
export const getChatMember: Method = (call) => {
  const chat = visibleChat(call);
  const id = namedUserId(call);
  if (chat.pair) {
    const user = [chat.pair.user, chat.pair.bot.user].find((one) => one.id === id);
    if (!user) throw badRequest("member not found");
    return renderMember({ user, status: "member", rights: {} });
  }
  const user = call.world.users.get(id);
  if (!user) throw badRequest("member not found");
  const member = chat.members.get(id);
  if (chat.type === "channel" && id !== call.bot.user.id && !isAdmin(chat.members.get(call.bot.user.id))) {
    throw badRequest("member list is inaccessible");
  }
  return renderMember(member ?? { user, status: "left", rights: {} });
};

/** @see https://core.telegram.org/bots/api#getchatadministrators */
export const getChatAdministrators: Method = (call) => {
  const chat = visibleChat(call);
  if (chat.pair) throw badRequest("there are no administrators in the private chat");
  const admins = [...chat.members.values()].filter(isAdmin);
  return admins.filter(({ user }) => !user.isBot || user.id === call.bot.user.id).map(renderMember);
};

/** @see https://core.telegram.org/bots/api#getchatmembercount */
export const getChatMemberCount: Method = (call) => {
  const chat = visibleChat(call);
  return chat.pair ? 2 : [...chat.members.values()].filter(isPresent).length;
};

/** @see https://core.telegram.org/bots/api#leavechat */
export const leaveChat: Method = (call) => {
  const chat = namedChat(call);
  if (chat.pair) throw badRequest("chat can't be left");
  membership(call, chat);
  leave(call.world, { chat, user: call.bot.user });
  return true;
};

/** @see https://core.telegram.org/bots/api#banchatmember */
export const banChatMember: Method = (call) => {
  const chat = namedChat(call);
  checkRight(call, chat, {
    right: "can_restrict_members",
    refusal: "not enough rights to restrict/unrestrict chat member",
  });
  const user = call.world.users.get(namedUserId(call));
  if (!user) throw badRequest("PARTICIPANT_ID_INVALID");
  if (isAdmin(chat.members.get(user.id))) throw badRequest("user is an administrator of the chat");
  if (isPresent(chat.members.get(user.id))) leave(call.world, { chat, user, by: call.bot.user });
  else changeMember(call.world, { chat, by: call.bot.user, member: { user, status: "kicked", rights: {} } });
  return true;
};

/** @see https://core.telegram.org/bots/api#unbanchatmember */
export const unbanChatMember: Method = (call) => {
  const chat = namedChat(call);
  checkRight(call, chat, {
    right: "can_restrict_members",
    refusal: "not enough rights to restrict/unrestrict chat member",
  });
  const user = call.world.users.get(namedUserId(call));
  if (!user) throw badRequest("PARTICIPANT_ID_INVALID");
  const isOut = chat.members.get(user.id)?.status === "kicked";
  if (isOut) changeMember(call.world, { chat, by: call.bot.user, member: { user, status: "left", rights: {} } });
  return true;
};
