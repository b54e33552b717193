import type { Character } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import { deriveAgentId } from "@troupe/core/memory";
import type { LoadedCharacter, TextOutput } from "./commands/context.ts";

/** A character to start, and its file. */
export type ChosenCharacter = { readonly character: Character; readonly path: string };

/**
 * The characters to start: those whose files are in order. The others are told to `err` with file, path and remedy, and do
 * not keep the rest from starting.
 * @throws ConfigError when none is left, or when two of them would be one agent.
 */
export function chooseCharacters(loaded: readonly LoadedCharacter[], err: TextOutput): readonly ChosenCharacter[] {
  for (const { reading, shownPath } of loaded) {
    if (!reading.ok) for (const problem of reading.problems) err.write(`✗ ${describeProblem(shownPath, problem)}\n`);
    if (!reading.ok || reading.notices.length === 0) continue;
    const count = reading.notices.length === 1 ? "one thing" : `${reading.notices.length} things`;
    err.write(`! ${shownPath}: ${count} to know about → npm run -s troupe -- characters validate ${shownPath}\n`);
  }
  const files = new Map<string, string>();
  const characters = loaded.flatMap(({ reading, path, shownPath }): readonly ChosenCharacter[] => {
    if (!reading.ok) return [];
    const agentId = deriveAgentId(reading.character);
    const other = files.get(agentId);
    if (other === shownPath) return [];
    if (other !== undefined) {
      const message = `${other} and ${shownPath} are the same agent (${reading.character.name}); give one of them another name or id`;
      throw new ConfigError("invalid", message);
    }
    files.set(agentId, shownPath);
    return [{ character: reading.character, path }];
  });
  if (characters.length > 0) return characters;
  throw new ConfigError(
    "not_found",
    "no character can be started; mend what is named above, or name another file with --character",
  );
}

function describeProblem(
  file: string,
  { path, message, remedy }: { readonly path: string; readonly message: string; readonly remedy: string },
): string {
  return `${file}: ${path === "" ? "" : `${path}: `}${message} → ${remedy}`;
}
