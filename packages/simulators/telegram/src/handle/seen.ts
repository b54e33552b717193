import type { TelegramMessage, TelegramUser } from "../payload.ts";
import type { Happening } from "../world/bus.ts";
import { shown } from "../world/deliver.ts";
import { renderUser } from "../world/world.ts";

/** What happened in a chat, as it looked then; what bots do too. */
export type SeenHappening = {
  readonly chatId: number;
  /** The bot of a private chat; null in all others. */
  readonly botId: number | null;
  readonly by: TelegramUser;
} & (
  | { readonly type: "message" | "edit" | "delete"; readonly message: TelegramMessage }
  /** None: what there was is taken back. */
  | { readonly type: "reaction"; readonly message: TelegramMessage; readonly emojis: readonly string[] }
  | { readonly type: "action"; readonly action: string }
);

/** Makes it of what the world tells. */
export function seenHappening(happening: Happening): SeenHappening {
  const { chat } = happening;
  const place = { chatId: chat.id, botId: chat.pair?.bot.user.id ?? null, by: renderUser(happening.by) };
  switch (happening.type) {
    case "message":
    case "edit":
    case "delete":
      return { ...place, type: happening.type, message: happening.view };
    case "reaction": {
      const emojis = happening.reactions.flatMap((one) => (one.type === "emoji" ? [one.emoji] : []));
      return { ...place, type: "reaction", message: shown(happening.message), emojis };
    }
    case "action":
      return { ...place, type: "action", action: happening.action };
  }
}
