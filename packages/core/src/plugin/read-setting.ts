import { isObject, ownValue } from "../action/json-kind.ts";
import type { Character } from "../character/character.ts";
import { ConfigError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";

/** Where settings come from, besides the character. Empty values count as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A setting: the character's secrets, then its settings, then the environment. `"true"` and `"false"` (any case) become
 * booleans; every other text stays a text, numbers in quotes too: an id or a key is no number. Unknown or empty is null.
 */
export function readSetting(character: Character, environment: Environment, name: string): JsonValue {
  // Settings hold what came out of the character's JSON.
  const settings = character.settings as JsonObject;
  for (const source of [character.secrets, settings, environment]) {
    const value = ownValue(source, name);
    if (typeof value !== "string") {
      if (value !== undefined) return value;
      continue;
    }
    const said = value.trim();
    if (said !== "") return toSwitch(said) ?? value;
  }
  return null;
}

function toSwitch(text: string): boolean | null {
  const said = text.toLowerCase();
  if (said === "true") return true;
  return said === "false" ? false : null;
}

/** The setting as text. @throws ConfigError `invalid` naming it, who needs it, and where to set it. */
export function requireSetting(character: Character, environment: Environment, name: string): string {
  const value = readSetting(character, environment, name);
  if (value !== null && typeof value !== "object") return String(value);
  const found = value === null ? "is not set" : "is no single value";
  throw new ConfigError(
    "invalid",
    `${name} ${found} for ${character.name}: set it in .env, or under settings or secrets in the character's file`,
  );
}

/** A plugin's own part of the character's `settings.pluginConfig`. @throws ConfigError when it is no object. */
export function readPluginConfig(character: Character, plugin: string): JsonObject {
  const all = ownValue(character.settings as JsonObject, "pluginConfig");
  if (all === undefined) return {};
  const own = isObject(all) ? ownValue(all, plugin) : all;
  if (own === undefined) return {};
  if (isObject(own) && isObject(all)) return own;
  const place = isObject(all) ? `settings.pluginConfig.${plugin}` : "settings.pluginConfig";
  throw new ConfigError(
    "invalid",
    `${place} of ${character.name} is no object; write { "${plugin}": { … } } under settings.pluginConfig`,
  );
}
