import { notify } from "../world/deliver.ts";
import { randomInteger } from "../world/random-text.ts";
import { renderMessage } from "../world/render.ts";
import { type CallbackAnswer, type Message, renderUser, type User } from "../world/world.ts";
import type { Registry } from "./registry.ts";

/** A pressed button. */
export type PressedButton = {
  readonly queryId: string;
  /** What the bot answers; null when it does not in time. */
  readonly answer: Promise<CallbackAnswer | null>;
};

/** Presses a button under a bot's message. @throws Error when there is none that calls the bot. */
export function pressButton(
  registry: Registry,
  press: { readonly message: Message; readonly user: User; readonly button: string },
): PressedButton {
  const { world } = registry;
  const { message, user, button } = press;
  const buttons = (message.markup?.inline_keyboard ?? []).flat();
  const pressed = buttons.find(
    ({ text, callback_data: data }) => data !== undefined && (text === button || data === button),
  );
  if (!pressed)
    throw new Error(
      `There is no button "${button}" that calls the bot; there are: ${buttons.map(({ text }) => text).join(", ")}`,
    );
  const { chat } = message;
  const bot =
    chat.pair?.bot ??
    world.bots.get(message.by?.id ?? 0) ??
    [...world.bots.values()].find((one) => chat.members.has(one.user.id));
  if (!bot) throw new Error("The message with this button is of no bot");
  const queryId = String(randomInteger(world.random, 1e15, 9e15));
  const answer = new Promise<CallbackAnswer | null>((resolve) => {
    const end = (given: CallbackAnswer | null): void => {
      stop();
      world.callbacks.delete(queryId);
      resolve(given);
    };
    const expire = (): void => end(null);
    const stop = world.timers.after(world.callbackTtlMs, expire);
    world.callbacks.set(queryId, { id: queryId, bot, atMs: world.clock.now(), answered: end, expire });
  });
  const payload = {
    id: queryId,
    from: renderUser(user),
    message: renderMessage(message, bot.user.id),
    chat_instance: String(chat.id * 7919),
    data: pressed.callback_data,
  };
  notify(bot, { kind: "callback_query", payload, chat });
  return { queryId, answer };
}
