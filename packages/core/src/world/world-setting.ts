import type { ParameterSchema } from "../action/parameter.ts";
import { readBySchema } from "../action/read-parameters.ts";
import { normalizeActionName } from "../action/resolve-action.ts";
import { isTimeZone, readQuietHours } from "../decide/quiet-hours.ts";
import type { JsonValue } from "../json.ts";

/** Something about a world that its owner or admins may change in conversation. */
export type WorldSetting = {
  /** What people call it; case, `-` and `_` do not count. */
  readonly name: string;
  readonly description: string;
  /** What its value may be; its default holds while nobody set it. */
  readonly schema: ParameterSchema;
  /** A key or token: taken in direct messages only, shown to nobody, kept out of prompts and logs. */
  readonly secret?: boolean;
};

/** A setting of the house itself. */
export type HouseSetting = WorldSetting & {
  /** What is wrong with a value that fits the schema; null when nothing is. */
  readonly check?: (value: JsonValue) => string | null;
};

const actionNames = {
  type: "array",
  items: { type: "string" },
} as const satisfies ParameterSchema;

/** Without these nobody could take back what they set. */
const needed: readonly string[] = ["SHOW_SETTINGS", "UPDATE_SETTING", "settings"].map(normalizeActionName);

/** How the agent listens in a server, or in one room of it; in the order in which they are shown. */
export const houseSettings = [
  {
    name: "onlyMentions",
    description: "Answer only when addressed.",
    schema: { type: "boolean" },
  },
  {
    name: "ignoreBots",
    description: "Never answer other bots.",
    schema: { type: "boolean" },
  },
  {
    name: "quietHours",
    description: "When to keep silent, as in 22:00-07:00, or off.",
    schema: { type: "string" },
    check: (value) =>
      value === "off" || readQuietHours(String(value)) !== null ? null : "must be of the form 22:00-07:00, or off",
  },
  {
    name: "timeZone",
    description: "By whose clocks the quiet hours are, as in Europe/Berlin.",
    schema: { type: "string" },
    check: (value) => (isTimeZone(String(value)) ? null : "is no time zone; use a name such as Europe/Berlin"),
  },
  {
    name: "talkShare",
    description: "Share of the newest messages, 0 to 1, that may be the agent's own before it joins in unasked.",
    schema: { type: "number", minimum: 0, maximum: 1 },
  },
  {
    name: "actions.include",
    description: "The only actions to use here, by names or tags with commas between them.",
    schema: actionNames,
  },
  {
    name: "actions.exclude",
    description: "Actions not to use here, by names or tags with commas between them.",
    schema: actionNames,
    check: (value) =>
      Array.isArray(value) && value.some((one) => needed.includes(normalizeActionName(String(one))))
        ? "may not name what settings are changed with"
        : null,
  },
] as const satisfies readonly HouseSetting[];

/** The name of a setting of the house. */
export type HouseSettingName = (typeof houseSettings)[number]["name"];

const longestText = 500;

/** A value for a setting, or what is wrong with it, as a sentence. */
export type ValueReading =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** Reads what somebody wrote as the value of a setting. A list may be written with commas. */
export function readSettingValue({ name, schema, ...more }: HouseSetting, given: JsonValue): ValueReading {
  const isWritten = typeof given === "string";
  if (isWritten && [...given].length > longestText) {
    return { ok: false, problem: `That is too long for ${name}; say it in ${longestText} characters.` };
  }
  const isList = schema.type === "array" && isWritten && !given.trim().startsWith("[");
  const said = isList ? given.split(",").flatMap((one) => one.trim() || []) : isWritten ? given.trim() : given;
  const { value, problems } = readBySchema(schema, said, name);
  const [problem] = problems;
  if (problem) return { ok: false, problem: `${problem.path} ${problem.message}.` };
  if (value === undefined || value === null) return { ok: false, problem: `${name} needs a value.` };
  const wrong = more.check?.(value) ?? null;
  return wrong === null ? { ok: true, value } : { ok: false, problem: `${name} ${wrong}.` };
}

/** The setting somebody means; null when there is none of that name. */
export function findSetting<Setting extends WorldSetting>(settings: readonly Setting[], name: string): Setting | null {
  const wanted = plainName(name);
  return settings.find((setting) => plainName(setting.name) === wanted) ?? null;
}

/** A name as it is compared. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s.:=_-]+/gu, "");
}
