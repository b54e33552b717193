import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Character, readCharacter } from "@troupe/core";

/** The project's folder. */
export const projectPath = fileURLToPath(new URL("../../..", import.meta.url));

/** The character that talks when nobody names another. */
export function defaultCharacter(): Character {
  const source = `${projectPath}characters/ada.character.json`;
  const reading = readCharacter(JSON.parse(readFileSync(source, "utf8")), { source });
  if (!reading.ok) throw new Error(`${source} is no valid character`);
  return reading.character;
}

/** Where the bench client's rooms are: at a terminal, where nobody waits for a person's next message. */
export const place = { platform: "terminal", account: "bench" } as const;
