import type { JsonObject, JsonValue } from "../json.ts";
import { findSetting, type HouseSetting } from "./world-setting.ts";

/** What somebody asks about settings: all of them, one, or one with a value. */
export type AskedSetting = {
  readonly setting: HouseSetting | null;
  /** As they wrote it, when it names a setting there is none of. */
  readonly unknownName?: string;
  readonly value?: JsonValue;
};

/** Reads it out of parameters, or out of the words behind a command: `/settings quietHours 22:00-07:00`. */
export function readAsked({ name, value, text }: JsonObject, settings: readonly HouseSetting[]): AskedSetting {
  const named = [name, text].find((one) => typeof one === "string" && one.trim() !== "");
  const said = typeof named === "string" ? named.trim() : "";
  if (said === "") return { setting: null };
  const hasValue = value !== undefined && value !== null && value !== "";
  const whole = findSetting(settings, said);
  if (whole || hasValue) {
    const found = whole ?? findSetting(settings, said);
    return { setting: found, ...(!found && { unknownName: said }), ...(hasValue && { value }) };
  }
  // The name may be of several words, "quiet hours 22:00-07:00": the longest that is one counts.
  const words = said.split(/\s+/u);
  for (let count = Math.min(words.length - 1, 4); count > 0; count--) {
    const setting = findSetting(settings, words.slice(0, count).join(" "));
    if (setting) return { setting, value: words.slice(count).join(" ") };
  }
  return { setting: null, unknownName: words[0] ?? said };
}
