import type { JsonObject, JsonValue } from "@troupe/core";
import { isFrequentWord } from "./detect-language.ts";
import type { ParameterSchema, PropertySchema } from "./read-character.ts";
import { plainWords } from "./words.ts";

/** The values found in a message for an action's parameters, and the required ones that were not. */
export type FilledParameters = { readonly values: JsonObject; readonly missing: readonly string[] };

/** Parts of the message not yet used for a parameter. */
type Material = {
  readonly text: string;
  readonly actionWords: ReadonlySet<string>;
  readonly quoted: string[];
  readonly numbers: number[];
  readonly taken: Set<string>;
};

const prepositions: readonly (readonly [RegExp, string])[] = [
  [
    /loc|city|place|town|where|country|region|address|destination|room|channel/i,
    "in|at|for|to|from|near|nach|à|en|em|i|w|в|для|für|de",
  ],
  [/to$|recipient|user|target|handle|person|who|name/i, "to|for|with|an|für|à|para|user|@"],
  [/^from|source|origin|start/i, "from|von|de|desde|da"],
  [
    /topic|subject|query|term|search|keyword|about|title|question/i,
    "about|for|on|of|named|called|nach|über|sur|sobre|su",
  ],
  [/date|day|time|when|until/i, "on|at|by|until|in|for|am|um|le|el"],
  [
    /text|message|content|body|note|reason|prompt|description|caption/i,
    "saying|that says|that|with the text|to say|of|about|dass|que",
  ],
];
const anyPreposition = "in|for|to|at|about|of|on|from|with|für|nach|über|à|pour|para|sobre|per|voor|en|von";
const closing =
  /(?:[,;]|(?: (?:please|now|today|tomorrow|right now|bitte|jetzt|heute|s'il te plaît|por favor|for me|and then|thanks|thank you))+)\s*[.!?]*$/i;

/** Fills an action's parameters from what somebody said, by the schema. `actionWords` are the words of its name. */
export function fillParameters(
  schema: ParameterSchema | undefined,
  text: string,
  actionWords: ReadonlySet<string>,
): FilledParameters {
  if (schema === undefined) return { values: {}, missing: [] };
  const material: Material = {
    text: text.slice(0, 2_000).replace(/\s+/g, " ").trim(),
    actionWords,
    quoted: [...text.slice(0, 2_000).matchAll(/["“„«「]([^"“”„«»」]{1,500})["”“»」]/gu)].flatMap(
      (found) => found[1] ?? [],
    ),
    numbers: [...text.slice(0, 2_000).matchAll(/-?\d+(?:\.\d+)?/g)].map((found) => Number(found[0])),
    taken: new Set(),
  };
  const values: Record<string, JsonValue> = {};
  const missing: string[] = [];
  for (const [name, property] of Object.entries(schema.properties).slice(0, 30)) {
    const isRequired = schema.required.includes(name);
    const value = findValue(name, property, material, isRequired);
    if (value !== undefined) values[name] = value;
    else if (isRequired && !property.hasDefault) missing.push(name);
  }
  return { values, missing };
}

function findValue(
  name: string,
  property: PropertySchema,
  material: Material,
  isRequired: boolean,
): JsonValue | undefined {
  if (property.options.length > 0) return findOption(property.options, material.text);
  const named = namedValue(name, material.text);
  switch (property.type) {
    case "number":
    case "integer":
      return findNumber(named, property.type, material);
    case "boolean":
      return findBoolean(named, name, material.text);
    case "array": {
      const words = named ?? findWords(name, material, isRequired);
      return words
        ?.split(/, | and | und | et | y |,/i)
        .map((word) => word.trim())
        .filter((word) => word !== "");
    }
    case "object":
      return undefined;
    default:
      return named ?? findWords(name, material, isRequired);
  }
}

function findOption(options: readonly string[], text: string): string | undefined {
  const plain = ` ${plainWords(text)} `;
  return options.find((option) => plain.includes(` ${plainWords(option)} `));
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

/** `name: value`, `name = value` or `name is "value"`. */
function namedValue(name: string, text: string): string | undefined {
  if (name.length > 60) return undefined;
  const spoken = escapePattern(name).replaceAll("_", "[ _]");
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${spoken} ?(?:[:=]|is) ?(?:"([^"]{1,500})"|([^,;"]{1,200}))`, "iu").exec(
    text,
  );
  return (found?.[1] ?? found?.[2])?.replace(/[.!?]+$/, "").trim() || undefined;
}

function findNumber(named: string | undefined, type: "number" | "integer", material: Material): number | undefined {
  const given = named === undefined ? Number.NaN : Number.parseFloat(named);
  const value = Number.isFinite(given) ? given : material.numbers.shift();
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return type === "integer" ? Math.trunc(value) : value;
}

function findBoolean(named: string | undefined, name: string, text: string): boolean | undefined {
  const about = plainWords(named ?? "");
  if (/^(?:true|yes|on|ja|oui|si|1)\b/.test(about)) return true;
  if (/^(?:false|no|off|nein|non|0)\b/.test(about)) return false;
  const plain = ` ${plainWords(text)} `;
  const word = plainWords(name.replaceAll("_", " "));
  if (word === "" || !plain.includes(` ${word} `)) return undefined;
  return !new RegExp(` (?:not|no|without|non|ohne|nicht) ${escapePattern(word)} `).test(plain);
}

function findWords(name: string, material: Material, isRequired: boolean): string | undefined {
  const quoted = material.quoted.shift();
  if (quoted !== undefined) return quoted.trim();
  const known = prepositions.find(([pattern]) => pattern.test(name))?.[1];
  const found =
    (known === undefined ? undefined : wordsAfter(known, material)) ??
    (isRequired ? wordsAfter(anyPreposition, material) : undefined);
  const value = found ?? (isRequired ? remainder(material) : undefined);
  if (value !== undefined) material.taken.add(value);
  return value;
}

function wordsAfter(words: string, material: Material): string | undefined {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words}) (?:the (?=\\p{L}))?(.{1,200})`, "giu");
  for (const found of material.text.matchAll(pattern)) {
    const value = trimValue(found[1] ?? "");
    if (value !== "" && !material.taken.has(value) && !/^(?:me|us|you|it|this|that|now)$/i.test(value)) return value;
  }
  return undefined;
}

function trimValue(given: string): string {
  const upToNext =
    given.split(/(?<=\p{L}{2}) (?:in|for|at|to|from|with|on|saying|about|using|as|für|mit) |[?!;]|\. /u)[0] ?? "";
  return upToNext
    .replace(closing, "")
    .replace(/[.,:?!]+$/, "")
    .trim();
}

/** What is left of the message without the action's own words and manners: "retweet 42" → "42". */
function remainder(material: Material): string | undefined {
  const manners = /^(?:please|can|could|would|you|use|call|run|the|a|an|for|to|me|do|with|action|now|bitte|and)$/i;
  const words = material.text.split(" ").filter((word) => {
    const plain = plainWords(word);
    const isName = plain.split(" ").every((part) => material.actionWords.has(part));
    return plain !== "" && !isName && !manners.test(plain);
  });
  if (words.every((word) => plainWords(word).split(" ").every(isFrequentWord))) return undefined;
  const left = words
    .join(" ")
    .replace(/[.,:?!]+$/, "")
    .trim();
  return left === "" || material.taken.has(left) ? undefined : left.slice(0, 200);
}
