import type { TelegramUpdate, TelegramUser } from "../payload.ts";
import { privateChat } from "../world/chats.ts";
import { randomText } from "../world/random-text.ts";
import { type Bot, type Command, renderUser } from "../world/world.ts";
import { type ChatHandle, chatHandle } from "./chat-handle.ts";
import type { Registry } from "./registry.ts";
import type { UserHandle } from "./user-handle.ts";

/** The updates of a bot, and what can go wrong with them. */
export type UpdatesHandle = {
  /** How many the bot has not acknowledged. */
  pending(): number;
  /** All that were made, also acknowledged ones: the newest thousand. */
  past(): readonly TelegramUpdate[];
  /** Nothing is handed out until `release`. */
  hold(): void;
  release(): void;
  /** The next one, or the next few, come twice with the same id. */
  duplicateNext(count?: number): void;
  /** The next so many are kept until all are there, and come the other way round. */
  reorderNext(count: number): void;
  /** An update the bot has had comes again. @throws Error when it is not known. */
  again(updateId: number): void;
};

/** A bot, seen from outside. */
export type BotHandle = {
  readonly id: number;
  readonly username: string;
  readonly user: TelegramUser;
  readonly updates: UpdatesHandle;
  /** The token as it is now. */
  token(): string;
  /** Makes the token void and gives a new one. */
  revokeToken(): string;
  setPrivacyMode(isOn: boolean): void;
  setCanJoinGroups(canJoin: boolean): void;
  /** The commands set for a scope ("default") and language (""); for chats the scope is "chat/<id>" and the like. */
  commands(scope?: string, language?: string): readonly Command[];
  /** As getWebhookInfo has it. */
  webhook(): Readonly<Record<string, unknown>>;
  chatWith(user: UserHandle): ChatHandle;
};

/** The handle of a bot. */
export function botHandle(registry: Registry, bot: Bot): BotHandle {
  return registry.handle(bot, () => {
    const { updates } = bot;
    return {
      id: bot.user.id,
      username: bot.user.username ?? "",
      user: renderUser(bot.user),
      updates: {
        pending: () => updates.count(),
        past: () => updates.past(),
        hold: () => updates.hold(),
        release: () => updates.release(),
        duplicateNext: (count = 1) => updates.duplicateNext(count),
        reorderNext: (count) => updates.reorderNext(count),
        again(updateId) {
          if (!updates.again(updateId)) throw new Error(`There was no update ${updateId} for @${bot.user.username}`);
        },
      },
      token: () => bot.token,
      revokeToken() {
        bot.token = `${bot.user.id}:${randomText(registry.world.random, 35)}`;
        return bot.token;
      },
      setPrivacyMode(isOn) {
        bot.hasPrivacyMode = isOn;
      },
      setCanJoinGroups(canJoin) {
        bot.canJoinGroups = canJoin;
      },
      commands: (scope = "default", language = "") =>
        bot.commands.get(`${scope.includes("/") ? scope : `${scope}/`}/${language}`) ?? [],
      webhook: () => bot.webhook.info(),
      chatWith(handle) {
        const user = registry.user(handle);
        if (!user) throw new Error("This user is of another simulator");
        return chatHandle(registry, privateChat(registry.world, bot, user));
      },
    };
  });
}
