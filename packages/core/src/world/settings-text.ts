import type { JsonValue } from "../json.ts";
import type { SetValues } from "./world-rules.ts";
import type { WorldSetting } from "./world-setting.ts";

/** Where settings are shown: with `roomId` also what is set in that room alone. */
export type ShownSettings = {
  readonly values: SetValues;
  /** Names of the secrets that are set. */
  readonly secretsSet: readonly string[];
  readonly roomId?: string;
};

/** A line for each setting with what it is now; never a secret's value. */
export function describeSettings(
  settings: readonly WorldSetting[],
  { values, secretsSet, roomId }: ShownSettings,
): readonly string[] {
  const inRoom = (roomId === undefined ? undefined : values.rooms[roomId]) ?? {};
  return settings.map(({ name, secret, schema }) => {
    if (secret === true) return `- ${name}: ${secretsSet.includes(name) ? "set" : "not set"} (a secret)`;
    const [inServer, here] = [values.world[name], inRoom[name]];
    const usual = schema.default === undefined ? "as usual" : `${inWords(schema.default)} (as usual)`;
    const said = inServer === undefined ? usual : inWords(inServer);
    return `- ${name}: ${said}${here === undefined ? "" : `; in this room ${inWords(here)}`}`;
  });
}

const longestShown = 200;

/** A value as people would write it. */
export function inWords(value: JsonValue): string {
  const words = Array.isArray(value) ? value.map(inWords).join(", ") || "none" : asText(value);
  return words.length > longestShown ? `${words.slice(0, longestShown).toWellFormed()}…` : words;
}

function asText(value: JsonValue): string {
  if (value === true) return "on";
  if (value === false) return "off";
  return typeof value === "string" ? value : JSON.stringify(value);
}
