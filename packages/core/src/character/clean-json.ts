import type { JsonValue } from "../json.ts";
import { type Findings, type Path, shorten } from "./findings.ts";

/** A character holds at most this much: a file in bytes, or all its texts together in UTF-16 units. */
export const CHARACTER_SIZE_LIMIT = 1_048_576;

/** No single text in a character may be longer, whatever it is for (UTF-16 units). */
const TEXT_LIMIT = 200_000;

const DEPTH_LIMIT = 32;
const VALUES_LIMIT = 100_000;

type Budget = { values: number; characters: number; isSpent: boolean };

/**
 * Copies a value from outside into plain JSON that is safe to keep: control characters taken out, lone surrogates
 * replaced by U+FFFD, keys without a value (null) left out, sizes and depth bounded. What was changed becomes a notice;
 * what cannot be used becomes a problem, and `undefined` is returned in its place.
 */
export function cleanJson(value: unknown, findings: Findings): JsonValue | undefined {
  return cleanValue(value, [], { findings, budget: { values: 0, characters: 0, isSpent: false } });
}

type Cleaning = { readonly findings: Findings; readonly budget: Budget };

function cleanValue(value: unknown, path: Path, cleaning: Cleaning): JsonValue | undefined {
  if (!isWithinBounds(path, cleaning)) return undefined;
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return cleanText(value, path, cleaning);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return cleanList(value, path, cleaning);
  if (typeof value === "object") return cleanObject(value, path, cleaning);
  cleaning.findings.problem(
    path,
    `A ${typeof value} is not a JSON value`,
    "Write a text, number, true, false or list.",
  );
  return undefined;
}

function isWithinBounds(path: Path, { findings, budget }: Cleaning): boolean {
  if (budget.isSpent) return false;
  budget.values += 1;
  if (budget.values > VALUES_LIMIT) {
    budget.isSpent = true;
    findings.problem(
      [],
      `The character holds more than ${VALUES_LIMIT} values`,
      "Move long lists into knowledge files.",
    );
    return false;
  }
  if (path.length <= DEPTH_LIMIT) return true;
  findings.problem(path.slice(0, 4), `Nested deeper than ${DEPTH_LIMIT} levels`, "Make the structure flatter.");
  budget.isSpent = true;
  return false;
}

function cleanList(list: readonly unknown[], path: Path, cleaning: Cleaning): JsonValue {
  const cleaned: JsonValue[] = [];
  for (let position = 0; position < list.length && !cleaning.budget.isSpent; position += 1) {
    cleaned.push(cleanValue(list[position], [...path, position], cleaning) ?? null);
  }
  return cleaned;
}

function cleanObject(object: object, path: Path, cleaning: Cleaning): JsonValue {
  const entries: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(object)) {
    if (cleaning.budget.isSpent) break;
    if (value === null || value === undefined) continue;
    if (key === "__proto__") {
      cleaning.findings.notice([...path, key], "The key __proto__ was ignored", "Remove it, it has no meaning here.");
      continue;
    }
    const cleaned = cleanValue(value, [...path, key], cleaning);
    if (cleaned !== undefined) entries.push([cleanText(key, [...path, key], cleaning) ?? "", cleaned]);
  }
  return Object.fromEntries(entries);
}

function cleanText(text: string, path: Path, { findings, budget }: Cleaning): string | undefined {
  if (text.length > TEXT_LIMIT) {
    findings.problem(
      path.map((step) => (typeof step === "string" ? shorten(step) : step)),
      `A text of ${text.length} characters is too long (at most ${TEXT_LIMIT})`,
      "Shorten it, or put it into a file and name that under knowledge.",
    );
    return undefined;
  }
  budget.characters += text.length;
  if (budget.characters > CHARACTER_SIZE_LIMIT) {
    budget.isSpent = true;
    findings.problem(
      [],
      "The character's texts are longer than 1 MB together",
      "Move long texts into knowledge files.",
    );
    return undefined;
  }
  const unified = text.replace(/\r\n?/g, "\n");
  const withoutControls = withoutControlCharacters(unified);
  if (withoutControls !== unified) {
    findings.notice(path, "Control characters were taken out of this text", "Remove them from the file.");
  }
  const wellFormed = withoutControls.toWellFormed();
  if (wellFormed !== withoutControls) {
    findings.notice(
      path,
      "Half a character (a lone surrogate) was replaced by \uFFFD",
      "Write the whole character, an emoji for example, and save the file as UTF-8.",
    );
  }
  return wellFormed;
}

/** A text without the control characters of ASCII and Latin-1; line breaks and tabs stay. */
export function withoutControlCharacters(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
