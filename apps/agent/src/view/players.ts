import type { Character } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import { deriveAgentId } from "@troupe/core/memory";
import type { CommandContext, LoadedCharacter } from "../commands/context.ts";

/** A character whose data can be looked at. */
export type Player = { readonly agentId: string; readonly name: string; readonly character: Character };

/**
 * The characters a command is about: those of `--character` (files or names), else all that are configured or lie in
 * `characters/`. Files with mistakes are left out; of configured ones that is told.
 * @throws ConfigError `not_found` when a named one does not exist, or none is left.
 */
export async function findPlayers(context: CommandContext): Promise<readonly Player[]> {
  const named = context.flags.character ?? [];
  const folder = await context.loadCharacters(await context.listCharacterFiles());
  if (named.length > 0) {
    const loaded = await context.loadCharacters();
    return unique(loaded.map((one, at) => namedPlayer(one, named[at] ?? one.shownPath, folder)));
  }
  const configured = await context.loadCharacters();
  for (const { shownPath, reading } of configured) {
    if (!reading.ok)
      context.err.write(`! ${shownPath} has mistakes and is left out → troupe characters validate ${shownPath}\n`);
  }
  const players = unique([...configured, ...folder].flatMap((one) => toPlayer(one) ?? []));
  if (players.length > 0) return players;
  throw new ConfigError("not_found", "there is no usable character; name one with --character FILE");
}

function namedPlayer(loaded: LoadedCharacter, written: string, folder: readonly LoadedCharacter[]): Player {
  const player = toPlayer(loaded);
  if (player) return player;
  const others = folder.flatMap((one) => toPlayer(one) ?? []);
  const wanted = written.trim().toLowerCase();
  const byName = others.find(({ name, agentId }) => name.toLowerCase() === wanted || agentId === wanted);
  if (byName) return byName;
  const [problem] = loaded.reading.ok ? [] : loaded.reading.problems;
  const known = others.length > 0 ? `; in characters/ there are ${others.map(({ name }) => name).join(", ")}` : "";
  throw new ConfigError(
    "not_found",
    `no character ${written}: ${problem?.message ?? "the file cannot be read"}${known}`,
  );
}

function toPlayer({ reading }: LoadedCharacter): Player | null {
  if (!reading.ok) return null;
  const { character } = reading;
  return { agentId: deriveAgentId(character), name: character.name, character };
}

function unique(players: readonly Player[]): readonly Player[] {
  return [...new Map(players.map((player) => [player.agentId, player])).values()];
}
