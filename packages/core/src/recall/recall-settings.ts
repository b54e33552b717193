import type { Character } from "../character/character.ts";

/** How far a character looks back: into this room, into everything the person said to it, or into the whole server. */
export type RecallScope = "room" | "person" | "world";

/** How a character recalls. */
export type RecallSettings = {
  readonly scope: RecallScope;
  /** Memories shown at most; 0 turns recall off. */
  readonly limit: number;
  readonly timeoutMs: number;
  /** Messages the conversation shows anyway. */
  readonly shownMessages: number;
};

/** From `settings.recall`; the room alone unless the operator opts in to more. */
export function recallSettings({ settings }: Character): RecallSettings {
  const { scope = "room", limit = 6, timeoutMs = 1_500 } = settings.recall ?? {};
  return { scope, limit, timeoutMs, shownMessages: settings.historyMessages ?? 32 };
}
