import type { Method } from "./call.ts";
import {
  banChatMember,
  getChat,
  getChatAdministrators,
  getChatMember,
  getChatMemberCount,
  getMe,
  leaveChat,
  unbanChatMember,
} from "./chat-methods.ts";
import { deleteMyCommands, getMyCommands, setMyCommands } from "./command-methods.ts";
import { editMessageCaption, editMessageMedia, editMessageReplyMarkup, editMessageText } from "./edit.ts";
import { sendMedia, sendMediaGroup } from "./media.ts";
import {
  copyMessage,
  deleteMessage,
  deleteMessages,
  forwardMessage,
  forwardMessages,
  pinChatMessage,
  sendChatAction,
  setMessageReaction,
  unpinChatMessage,
} from "./message-methods.ts";
import { sendContact, sendLocation, sendMessage } from "./send.ts";
import { createForumTopic, deleteForumTopic, editForumTopic, setTopicClosed } from "./topic-methods.ts";
import {
  answerCallbackQuery,
  close,
  deleteWebhook,
  getFile,
  getUpdates,
  getWebhookInfo,
  setWebhook,
} from "./update-methods.ts";

const methods: Readonly<Record<string, Method>> = {
  getMe,
  logOut: close,
  close,
  getUpdates,
  setWebhook,
  deleteWebhook,
  getWebhookInfo,
  sendMessage,
  sendPhoto: sendMedia("photo"),
  sendDocument: sendMedia("document"),
  sendVoice: sendMedia("voice"),
  sendAudio: sendMedia("audio"),
  sendVideo: sendMedia("video"),
  sendAnimation: sendMedia("animation"),
  sendSticker: sendMedia("sticker"),
  sendMediaGroup,
  sendLocation,
  sendContact,
  sendChatAction,
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  deleteMessage,
  deleteMessages,
  forwardMessage,
  forwardMessages,
  copyMessage,
  setMessageReaction,
  pinChatMessage,
  unpinChatMessage,
  answerCallbackQuery,
  getFile,
  getChat,
  getChatMember,
  getChatAdministrators,
  getChatMemberCount,
  getChatMembersCount: getChatMemberCount,
  leaveChat,
  banChatMember,
  kickChatMember: banChatMember,
  unbanChatMember,
  createForumTopic,
  editForumTopic,
  closeForumTopic: setTopicClosed(true),
  reopenForumTopic: setTopicClosed(false),
  deleteForumTopic,
  setMyCommands,
  getMyCommands,
  deleteMyCommands,
};

const byName = new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), method]));

/** The method of a name, in whatever case; null when there is none. */
export function methodNamed(name: string): Method | null {
  return byName.get(name.toLowerCase()) ?? null;
}
