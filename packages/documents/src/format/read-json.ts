import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { decodeText } from "./decode-text.ts";
import { groupLines, isBlank } from "./lines.ts";

/** A longer line was written by a program and has no places to cut at. */
const longLineCharacters = 2_000;
/** Deeper values stay on the line of what they are in. */
const brokenLevels = 3;

/** Reads JSON and JSON lines as text; long lines are broken between members. @throws DocumentError `unsupported`, `too-much-text` */
export async function readJson(input: ReaderInput): Promise<ReaderResult> {
  const { text, encoding, warnings } = await decodeText(input.bytes, input.charset, input.label);
  const list = createBlockList(input.limits, input.label);
  for (const { text: part, lines } of groupLines(text, (line, previous) => isBlank(previous) && /^[{[]/u.test(line))) {
    const isLong = part.split("\n").some((line) => line.length > longLineCharacters);
    list.add("code", isLong ? breakLines(part) : part, { lines, language: "json" });
  }
  return { blocks: list.blocks, encoding, warnings };
}

/** Only white space is added, and only outside strings: numbers keep every digit. */
function breakLines(json: string): string {
  const parts: string[] = [];
  const special = /["{}[\],]/gu;
  let depth = 0;
  let from = 0;
  for (let match = special.exec(json); match !== null; match = special.exec(json)) {
    const at = match.index;
    const token = match[0];
    if (token === '"') special.lastIndex = endOfString(json, at);
    else if (token === "}" || token === "]") {
      depth--;
      if (depth < brokenLevels) parts.push(json.slice(from, at), lineBreak(depth));
      else continue;
      from = at;
    } else {
      if (token !== ",") depth++;
      if (depth > brokenLevels) continue;
      parts.push(json.slice(from, at + 1), lineBreak(depth));
      from = at + 1;
    }
  }
  parts.push(json.slice(from));
  return parts.join("");
}

function lineBreak(depth: number): string {
  return `\n${" ".repeat(Math.max(0, depth))}`;
}

/** The index behind the quote that closes the string which opens at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length;
}
