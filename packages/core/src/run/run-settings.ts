import type { Character } from "../character/character.ts";
import type { OnUnknown } from "../outbox/deliver.ts";
import { defaultHistoryBudget } from "../prompt/history.ts";
import type { RunSettings } from "./run.ts";

/** What an operator sets for all characters; a character's own settings win where it has them. */
export type RunDefaults = {
  readonly runTimeoutMs?: number;
  readonly onUnknown?: OnUnknown;
  readonly deliveryMaxAgeMs?: number;
  /** Rooms worked on at once. */
  readonly concurrency?: number;
};

const tenMinutesMs = 600_000;
const hourMs = 3_600_000;

/** A character's settings with every default filled in. */
export function runSettings(character: Character, defaults: RunDefaults = {}): RunSettings {
  const { settings } = character;
  return {
    format: settings.responseFormat ?? "json",
    runTimeoutMs: settings.runTimeoutMs ?? defaults.runTimeoutMs ?? tenMinutesMs,
    history: {
      ...defaultHistoryBudget,
      ...(settings.historyMessages !== undefined && { messages: settings.historyMessages }),
    },
    onUnknown: defaults.onUnknown ?? "resend",
    deliveryMaxAgeMs: defaults.deliveryMaxAgeMs ?? hourMs,
    maxAttempts: 20,
    maxSteps: settings.maxSteps ?? 1,
    actionPlanning: settings.actionPlanning ?? true,
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxTokens !== undefined && { maxTokens: settings.maxTokens }),
  };
}
