import { badRequest } from "../api-error.ts";
import type { TelegramReaction } from "../payload.ts";
import type { Chat } from "../world/world.ts";
import type { Call } from "./call.ts";
import { asRecord } from "./parameters.ts";

/** @see https://core.telegram.org/bots/api#reactiontypeemoji */
const emojis: ReadonlySet<string> = new Set(
  (
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤\u200d🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 " +
    "👨\u200d💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷\u200d♂ 🤷 🤷\u200d♀ 😡"
  ).split(" "),
);

/** True for the emoji that can be a reaction in this chat; a variation selector changes nothing. */
export function isReaction(chat: Chat, emoji: string): boolean {
  const plain = emoji.replaceAll("\ufe0f", "");
  return (
    emojis.has(plain) &&
    (chat.reactions === null || chat.reactions.some((own) => own.replaceAll("\ufe0f", "") === plain))
  );
}

/** The reaction a bot sets: at most one. @throws ApiError when it is none that is possible. */
export function readReactions({ parameters }: Call, chat: Chat): readonly TelegramReaction[] {
  const stated = parameters.json("reaction") ?? [];
  if (!Array.isArray(stated)) throw badRequest("can't parse reaction types JSON object");
  if (stated.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  return stated.map((item: unknown): TelegramReaction => {
    const { type, emoji, custom_emoji_id: custom } = asRecord(item, "ReactionType");
    if (type === "custom_emoji" && typeof custom === "string") {
      if (chat.reactions !== null) throw badRequest("REACTION_INVALID");
      return { type, custom_emoji_id: custom };
    }
    if (type !== "emoji" || typeof emoji !== "string" || !isReaction(chat, emoji)) throw badRequest("REACTION_INVALID");
    return { type, emoji: emoji.replaceAll("\ufe0f", "") };
  });
}
