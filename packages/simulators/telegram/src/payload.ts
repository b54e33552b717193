/** @see https://core.telegram.org/bots/api#user */
export type TelegramUser = {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
  readonly language_code?: string;
};

/** @see https://core.telegram.org/bots/api#chat */
export type TelegramChat = {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
  readonly username?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly is_forum?: true;
};

/** @see https://core.telegram.org/bots/api#messageentity */
export type TelegramEntity = {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly user?: TelegramUser;
  readonly language?: string;
  readonly custom_emoji_id?: string;
};

/** A stored file as a message names it. @see https://core.telegram.org/bots/api#document */
export type TelegramFile = {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size: number;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
  readonly emoji?: string;
  readonly [field: string]: unknown;
};

/** @see https://core.telegram.org/bots/api#inlinekeyboardbutton */
export type TelegramButton = {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
  readonly [field: string]: unknown;
};

/** @see https://core.telegram.org/bots/api#replykeyboardmarkup and its siblings */
export type TelegramMarkup = {
  readonly inline_keyboard?: readonly (readonly TelegramButton[])[];
  readonly keyboard?: readonly (readonly TelegramButton[])[];
  readonly [field: string]: unknown;
};

/** @see https://core.telegram.org/bots/api#reactiontype */
export type TelegramReaction =
  | { readonly type: "emoji"; readonly emoji: string }
  | { readonly type: "custom_emoji"; readonly custom_emoji_id: string };

/** @see https://core.telegram.org/bots/api#messageorigin */
export type TelegramOrigin = {
  readonly type: "user" | "hidden_user" | "chat" | "channel";
  readonly date: number;
  readonly sender_user?: TelegramUser;
  readonly sender_user_name?: string;
  readonly sender_chat?: TelegramChat;
  readonly chat?: TelegramChat;
  readonly message_id?: number;
};

/** What a message is about: exactly what its kind adds to a message. */
export type MessageContent = {
  readonly text?: string;
  readonly entities?: readonly TelegramEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly TelegramEntity[];
  readonly photo?: readonly TelegramFile[];
  readonly document?: TelegramFile;
  readonly voice?: TelegramFile;
  readonly audio?: TelegramFile;
  readonly video?: TelegramFile;
  readonly animation?: TelegramFile;
  readonly sticker?: TelegramFile;
  readonly location?: { readonly latitude: number; readonly longitude: number };
  readonly contact?: {
    readonly phone_number: string;
    readonly first_name: string;
    readonly last_name?: string;
    readonly user_id?: number;
  };
  readonly new_chat_members?: readonly TelegramUser[];
  readonly left_chat_member?: TelegramUser;
  readonly group_chat_created?: true;
  readonly migrate_to_chat_id?: number;
  readonly migrate_from_chat_id?: number;
  readonly forum_topic_created?: { readonly name: string; readonly icon_color: number };
  readonly forum_topic_edited?: { readonly name?: string };
  readonly forum_topic_closed?: Readonly<Record<string, never>>;
  readonly forum_topic_reopened?: Readonly<Record<string, never>>;
};

/** @see https://core.telegram.org/bots/api#message */
export type TelegramMessage = MessageContent & {
  readonly message_id: number;
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly from?: TelegramUser;
  readonly sender_chat?: TelegramChat;
  readonly date: number;
  readonly edit_date?: number;
  readonly chat: TelegramChat;
  readonly forward_origin?: TelegramOrigin;
  readonly reply_to_message?: TelegramMessage;
  readonly external_reply?: {
    readonly origin: TelegramOrigin;
    readonly chat?: TelegramChat;
    readonly message_id?: number;
  };
  readonly quote?: {
    readonly text: string;
    readonly position: number;
    readonly is_manual?: true;
    readonly entities?: readonly TelegramEntity[];
  };
  readonly media_group_id?: string;
  readonly has_protected_content?: true;
  readonly author_signature?: string;
  readonly pinned_message?: TelegramMessage;
  readonly reply_markup?: TelegramMarkup;
};

/** One kind of update and its content. @see https://core.telegram.org/bots/api#update */
export type TelegramUpdate = { readonly update_id: number; readonly [kind: string]: unknown };
