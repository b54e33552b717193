import { CHARACTER_SIZE_LIMIT } from "./clean-json.ts";
import { createFindings, type Finding, shorten } from "./findings.ts";
import { inspectJsonText } from "./json-text.ts";
import { type CharacterReading, readInto } from "./read-character.ts";

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads a character from the text of a file. A mistake in the JSON is reported with its line and column; a byte order
 * mark and keys written twice are noticed. Never throws.
 */
export function parseCharacter(text: string, options: { readonly source: string }): CharacterReading {
  const file = options.source;
  const sizeBytes = new TextEncoder().encode(text).byteLength;
  if (sizeBytes > CHARACTER_SIZE_LIMIT) {
    const message = `The file is larger than 1 MB (${sizeBytes} bytes)`;
    const remedy = "Move long texts into files of their own and name them under knowledge.";
    return { ok: false, problems: [{ file, path: "", message, remedy }], notices: [] };
  }
  const findings = createFindings(file);
  const hasMark = text.startsWith(BYTE_ORDER_MARK);
  if (hasMark) {
    findings.notice([], "A byte order mark at the start of the file was passed over", "Save it as UTF-8 without BOM.");
  }
  const body = hasMark ? text.slice(1) : text;
  const json = parsedJson(body);
  const { fault, repeated } = inspectJsonText(body);
  if (json === undefined) return { ok: false, problems: [syntaxProblem(file, fault)], notices: findings.notices };
  for (const { key, line, column } of repeated) {
    const message = `The key "${shorten(key)}" is written twice in one object (again in line ${line}, column ${column}); the last one counts`;
    findings.notice([], message, "Keep one of the two.");
  }
  return readInto(json.value, findings);
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function syntaxProblem(file: string, fault: ReturnType<typeof inspectJsonText>["fault"]): Finding {
  const {
    line = 1,
    column = 1,
    message = "This is not JSON",
    remedy = "Check the file with a JSON editor.",
  } = fault ?? {};
  return { file, path: "", message: `Line ${line}, column ${column}: ${message}`, remedy, at: { line, column } };
}
