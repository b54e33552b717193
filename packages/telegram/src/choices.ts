import { hash } from "node:crypto";
import type { Choice, ClientState } from "@troupe/core";

/** What Telegram keeps behind a button, at most. @see https://core.telegram.org/bots/api#inlinekeyboardbutton */
const longestDataBytes = 64;

/** Telegram takes so many buttons under a message. */
export const buttonLimit = 100;

/** What stands behind the button of a value: the value, or where it is too long, a mark under which it is kept. */
export function choiceData(value: string): string {
  const data = `=${value}`;
  return Buffer.byteLength(data) <= longestDataBytes ? data : markOf(value);
}

const markOf = (value: string): string => `#${hash("sha256", value).slice(0, 40)}`;

/** The values of pressed buttons, also those that were offered by an earlier process. */
export type Choices = {
  /** Keeps the values that are too long for a button; before the buttons are shown. */
  remember(choices: readonly Choice[]): Promise<void>;
  /** Reads the value behind a button; what is not known any more stands for itself. */
  valueOf(data: string): Promise<string>;
};

/** The choices of one bot. */
export function createChoices(state: Pick<ClientState, "get" | "set">): Choices {
  return {
    async remember(choices) {
      for (const { value } of choices) {
        const data = choiceData(value);
        if (data.startsWith("#")) await state.set(`choice:${data}`, value);
      }
    },
    async valueOf(data) {
      if (data.startsWith("=")) return data.slice(1);
      return (await state.get(`choice:${data}`)) ?? data;
    },
  };
}
