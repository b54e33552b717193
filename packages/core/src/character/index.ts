export { type Character, type CharacterSettings, type PlatformSettings, platformSettings } from "./character.ts";
export type { Notice, Problem } from "./findings.ts";
export { parseCharacter } from "./parse-character.ts";
export { type CharacterReading, readCharacter } from "./read-character.ts";
export { characterJsonSchema } from "./schema.ts";
