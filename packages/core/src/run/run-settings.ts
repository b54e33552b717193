import type { Character } from "../character/character.ts";
import type { OnUnknown } from "../outbox/deliver.ts";
import { historyBudget } from "../prompt/history.ts";
import type { Room } from "../room/room.ts";
import type { Mode, RunSettings } from "./run.ts";

/** What an operator sets for all characters; a character's own settings win where it has them. */
export type RunDefaults = {
  readonly runTimeoutMs?: number;
  readonly onUnknown?: OnUnknown;
  readonly deliveryMaxAgeMs?: number;
  /** Rooms worked on at once. */
  readonly concurrency?: number;
  /** Calls of one model under way at once; the others wait in turn. */
  readonly modelConcurrency?: number;
};

const tenMinutesMs = 600_000;
const hourMs = 3_600_000;

/** Steps of a run that thinks in steps. */
const usualSteps = 8;

/** How the character works in a room: as the room says, else the platform, else the character. */
export function modeIn({ settings, platforms }: Character, { platform, data }: Room): Mode {
  const own: Readonly<Record<string, unknown>> | undefined = platforms[platform];
  return readMode(data?.["mode"]) ?? readMode(own?.["mode"]) ?? settings.mode ?? "reply";
}

function readMode(value: unknown): Mode | undefined {
  return value === "reply" || value === "steps" ? value : undefined;
}

/** Steps are written in tags, or called natively. */
function formatIn(mode: Mode, { settings }: Character): RunSettings["format"] {
  if (mode === "reply") return settings.responseFormat ?? "json";
  return settings.responseFormat === "tools" ? "tools" : "xml";
}

/** A character's settings with every default filled in, for runs that work so. */
export function runSettings(character: Character, defaults: RunDefaults, mode: Mode): RunSettings {
  const { settings } = character;
  return {
    mode,
    format: formatIn(mode, character),
    runTimeoutMs: settings.runTimeoutMs ?? defaults.runTimeoutMs ?? tenMinutesMs,
    history: historyBudget(settings),
    onUnknown: defaults.onUnknown ?? "resend",
    deliveryMaxAgeMs: defaults.deliveryMaxAgeMs ?? hourMs,
    maxAttempts: 20,
    maxSteps: settings.maxSteps ?? (mode === "steps" ? usualSteps : 1),
    actionPlanning: settings.actionPlanning ?? true,
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxTokens !== undefined && { maxTokens: settings.maxTokens }),
  };
}
