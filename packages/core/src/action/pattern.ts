import { assemble, type Instruction, type PatternAssertion } from "./pattern-program.ts";
import { parsePattern } from "./pattern-syntax.ts";

/** Whether a pattern is found in a text; `too-long` when finding out would take more steps than a check may cost. */
type PatternSearch = "found" | "absent" | "too-long";

/** A pattern ready to be looked for, or why it cannot be used. */
export type CompiledPattern =
  | { readonly ok: true; search(text: string): PatternSearch }
  | { readonly ok: false; readonly reason: string };

const longestPattern = 1_000;
const mostSteps = 10_000_000;

/**
 * Compiles a regular expression into a search whose cost is at most its size times the text's length, whatever the text: all
 * ways to match are followed at once, none is tried after another. Look-around and back-references need backtracking and are
 * refused. Understood with the `u` flag where the pattern allows it, else without.
 * @see https://swtch.com/~rsc/regexp/regexp1.html
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > longestPattern) {
    return { ok: false, reason: `it has ${pattern.length} characters, at most ${longestPattern} are taken` };
  }
  const syntax = checkSyntax(pattern);
  if (!syntax.ok) return syntax;
  const parsed = parsePattern(pattern, syntax.isUnicode);
  if (!parsed.ok) return parsed;
  const program = assemble(parsed.node);
  if (!program.ok) return program;
  return { ok: true, search: (text) => search(program.instructions, text, syntax.isUnicode) };
}

type Syntax = { readonly ok: true; readonly isUnicode: boolean } | { readonly ok: false; readonly reason: string };

function checkSyntax(pattern: string): Syntax {
  try {
    new RegExp(pattern, "u");
    return { ok: true, isUnicode: true };
  } catch (strict) {
    try {
      new RegExp(pattern);
      return { ok: true, isUnicode: false };
    } catch {
      const told = strict instanceof Error ? strict.message : String(strict);
      return { ok: false, reason: `it is no regular expression: ${told.slice(told.lastIndexOf(": ") + 2)}` };
    }
  }
}

/** The instructions the search is at, all at the same place of the text. `seen[i]` is the last round `i` was added in. */
type Front = { readonly at: number[]; readonly seen: Int32Array; round: number };

function search(instructions: readonly Instruction[], text: string, isUnicode: boolean): PatternSearch {
  const size = instructions.length;
  let here: Front = { at: [], seen: new Int32Array(size), round: 0 };
  let next: Front = { at: [], seen: new Int32Array(size), round: 0 };
  let steps = 0;
  startRound(here);
  for (let index = 0; ; ) {
    const place = { text, index };
    if (follow(instructions, 0, here, place)) return "found";
    if (index >= text.length) return "absent";
    steps += here.at.length;
    if (steps > mostSteps) return "too-long";
    const unit = unitAt(text, index, isUnicode);
    index += unit.length;
    startRound(next);
    const after = { text, index };
    for (const at of here.at) {
      const instruction = instructions[at];
      if (instruction?.op === "unit" && instruction.test(unit) && follow(instructions, at + 1, next, after))
        return "found";
    }
    [here, next] = [next, here];
  }
}

function startRound(front: Front): void {
  front.at.length = 0;
  front.round += 1;
}

function unitAt(text: string, index: number, isUnicode: boolean): string {
  if (!isUnicode) return text.charAt(index);
  const codePoint = text.codePointAt(index) ?? 0;
  return codePoint < 0x1_00_00 ? text.charAt(index) : String.fromCodePoint(codePoint);
}

/** Adds an instruction and everything that is reached from it without reading on; says whether that is the end. */
function follow(instructions: readonly Instruction[], from: number, front: Front, place: Place): boolean {
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (front.seen[at] === front.round) continue;
    front.seen[at] = front.round;
    const instruction = instructions[at];
    switch (instruction?.op) {
      case undefined:
        return true;
      case "unit":
        front.at.push(at);
        break;
      case "assert":
        if (holds(instruction.assertion, place)) open.push(at + 1);
        break;
      case "fork":
        open.push(...instruction.to);
        break;
    }
  }
  return false;
}

type Place = { readonly text: string; readonly index: number };

function holds(assertion: PatternAssertion, { text, index }: Place): boolean {
  switch (assertion) {
    case "start":
      return index === 0;
    case "end":
      return index === text.length;
    case "word-edge":
      return isWord(text, index - 1) !== isWord(text, index);
    case "no-word-edge":
      return isWord(text, index - 1) === isWord(text, index);
  }
}

function isWord(text: string, index: number): boolean {
  return /^\w$/.test(text.charAt(index));
}
