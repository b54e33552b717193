import type { Chat, Member, Rights } from "./world.ts";

const groupRights = [
  "can_manage_chat",
  "can_delete_messages",
  "can_manage_video_chats",
  "can_restrict_members",
  "can_promote_members",
  "can_change_info",
  "can_invite_users",
  "can_post_stories",
  "can_edit_stories",
  "can_delete_stories",
  "can_pin_messages",
];

/** What may be sent, by the Bot API's names. @see https://core.telegram.org/bots/api#chatpermissions */
export const permissionNames = [
  "can_send_messages",
  "can_send_audios",
  "can_send_documents",
  "can_send_photos",
  "can_send_videos",
  "can_send_video_notes",
  "can_send_voice_notes",
  "can_send_polls",
  "can_send_other_messages",
  "can_add_web_page_previews",
  "can_change_info",
  "can_invite_users",
  "can_pin_messages",
  "can_manage_topics",
];

/** An administrator's rights: all that the kind of chat knows, but for what is said otherwise. */
export function adminRights(chat: Chat, stated: Rights = {}): Rights {
  const own =
    chat.type === "channel"
      ? ["can_post_messages", "can_edit_messages"]
      : chat.type === "supergroup"
        ? ["can_manage_topics"]
        : [];
  return {
    ...Object.fromEntries([...groupRights, ...own].map((name) => [name, name !== "can_promote_members"])),
    ...stated,
  };
}

/** Somebody is in the chat. */
export function isPresent(member: Member | undefined): boolean {
  return member !== undefined && member.status !== "left" && member.status !== "kicked";
}

/** Somebody runs the chat. */
export function isAdmin(member: Member | undefined): boolean {
  return member?.status === "creator" || member?.status === "administrator";
}

/** Somebody may do what only administrators may. */
export function hasRight(member: Member | undefined, right: string): boolean {
  return member?.status === "creator" || (member?.status === "administrator" && member.rights[right] === true);
}

/** Somebody may do what everybody may unless the chat or a restriction says otherwise. */
export function isPermitted(chat: Chat, member: Member | undefined, permission: string): boolean {
  if (isAdmin(member)) return true;
  if (member?.status === "restricted" && member.rights[permission] === false) return false;
  return chat.permissions[permission] !== false;
}
