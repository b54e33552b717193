import type { TelegramMessage, TelegramReaction } from "../payload.ts";
import type { Happening } from "../world/bus.ts";
import { closeTopic, createTopic, upgradeGroup } from "../world/chats.ts";
import { findShownMessage } from "../world/message-id.ts";
import { postMessage } from "../world/post.ts";
import { isPresent } from "../world/rights.ts";
import type { Chat, Member, Rights, User } from "../world/world.ts";
import type { Registry } from "./registry.ts";
import { type Said, saidContent } from "./said.ts";

/** How long to wait for a bot; 10 seconds when absent. */
export type WaitOptions = { readonly timeoutMs?: number };

/** A conversation, seen from outside. Waiting gives each happening once, also one that has been already. */
export type ChatHandle = {
  readonly id: number;
  readonly type: Chat["type"];
  readonly title: string;
  /** All messages that were not deleted, oldest first. */
  messages(): readonly TelegramMessage[];
  /** One of them by its number. @throws Error when it is not there. */
  message(id: number): TelegramMessage;
  /** The reactions to a message, the sender's id first. */
  reactions(message: TelegramMessage): readonly (readonly [userId: number, reactions: readonly TelegramReaction[]])[];
  /** The next message of a bot, if `fits` agrees. */
  nextMessage(fits?: (message: TelegramMessage) => boolean, options?: WaitOptions): Promise<TelegramMessage>;
  nextEdit(fits?: (message: TelegramMessage) => boolean, options?: WaitOptions): Promise<TelegramMessage>;
  nextDeletion(options?: WaitOptions): Promise<TelegramMessage>;
  /** "typing" and the like. */
  nextAction(options?: WaitOptions): Promise<{ readonly action: string; readonly threadId: number | null }>;
  /** The next reaction of a bot: to what, and which; none when it was taken back. */
  nextReaction(
    options?: WaitOptions,
  ): Promise<{ readonly message: TelegramMessage; readonly reactions: readonly TelegramReaction[] }>;
  /** Who is in it, by id. */
  members(): readonly { readonly id: number; readonly status: Member["status"] }[];
  /** Posts as the channel itself. */
  post(said: Said): TelegramMessage;
  /** Starts a topic of a forum and gives its id. */
  createTopic(name: string): number;
  setTopicClosed(topicId: number, isClosed: boolean): void;
  /** What everybody may do, by the Bot API's names: `{ can_send_photos: false }`. */
  setPermissions(permissions: Rights): void;
  /** The emoji that may be used as reactions; all when null. */
  setReactions(emojis: readonly string[] | null): void;
  /** Makes a supergroup of a basic group. */
  upgrade(): ChatHandle;
};

/** The handle of a chat. */
export function chatHandle(registry: Registry, chat: Chat): ChatHandle {
  return registry.handle(chat, () => {
    const { world } = registry;
    const next = <T extends Happening["type"]>(
      type: T,
      { timeoutMs = 10_000 }: WaitOptions = {},
      fits: (happening: Extract<Happening, { type: T }>) => boolean = () => true,
    ) =>
      world.bus.next({
        name: `${type} of a bot in chat ${chat.id}`,
        timeoutMs,
        fits: (happening): happening is Extract<Happening, { type: T }> =>
          // The type was compared; the compiler does not narrow a generic by it.
          happening.chat === chat && happening.type === type && fits(happening as Extract<Happening, { type: T }>),
      });
    return {
      id: chat.id,
      type: chat.type,
      title: chat.title,
      messages: () => chat.messages.filter(({ isDeleted }) => !isDeleted).map(registry.show),
      message(id) {
        const message = findShownMessage(chat, id);
        if (!message) throw new Error(`There is no message ${id} in chat ${chat.id}`);
        return registry.show(message);
      },
      reactions: (message) => [...registry.message(message).reactions].filter(([, reactions]) => reactions.length > 0),
      async nextMessage(fits = () => true, options) {
        const { view, message } = await next("message", options, (happening) => fits(happening.view));
        return registry.remember(view, message);
      },
      async nextEdit(fits = () => true, options) {
        const { view, message } = await next("edit", options, (happening) => fits(happening.view));
        return registry.remember(view, message);
      },
      nextDeletion: async (options) => (await next("delete", options)).view,
      async nextAction(options) {
        const { action, threadId } = await next("action", options);
        return { action, threadId };
      },
      async nextReaction(options) {
        const { message, reactions } = await next("reaction", options);
        return { message: registry.show(message), reactions };
      },
      members: () => [...chat.members.values()].filter(isPresent).map(({ user, status }) => ({ id: user.id, status })),
      post(said) {
        if (chat.type !== "channel") throw new Error(`Chat ${chat.id} is no channel: let a user say it`);
        return registry.show(
          postMessage(world, { chat, from: null, senderChat: chat, content: saidContent(world, said) }),
        );
      },
      createTopic(name) {
        if (!chat.isForum) throw new Error(`Chat ${chat.id} is no forum: found the supergroup with isForum`);
        return createTopic(world, { chat, by: owner(chat), name });
      },
      setTopicClosed: (id, isClosed) => closeTopic(world, { chat, by: owner(chat), id, isClosed }),
      setPermissions(permissions) {
        chat.permissions = permissions;
      },
      setReactions(emojis) {
        chat.reactions = emojis;
      },
      upgrade() {
        if (chat.type !== "group" || chat.migratedTo !== null)
          throw new Error(`Chat ${chat.id} is no basic group any more`);
        return chatHandle(registry, upgradeGroup(world, chat, owner(chat)));
      },
    };
  });
}

/** Who runs a chat. @throws Error when nobody does. */
function owner(chat: Chat): User {
  const found = [...chat.members.values()].find(({ status }) => status === "creator");
  if (!found) throw new Error(`Nobody owns chat ${chat.id}: found it with a human member`);
  return found.user;
}
