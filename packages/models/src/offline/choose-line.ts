import { hashText, plainWords } from "./words.ts";

/** What a line's placeholders may stand for; a line that needs a missing one is not said. */
export type LineValues = Readonly<Record<string, string | undefined>>;

/** Chooses among lines: by the conversation's hash, never one of the agent's recent lines while another is left. */
export type LineChooser = {
  /** The chosen line, filled; undefined when every line was said lately or lacks a value. */
  readonly fresh: (lines: readonly string[], values?: LineValues) => string | undefined;
  /** As `fresh`, but the line said longest ago rather than nothing; undefined only when no line can be filled. */
  readonly always: (lines: readonly string[], values?: LineValues) => string | undefined;
  /** True when the agent said this lately, alone or inside a longer answer. */
  readonly wasSaid: (line: string) => boolean;
  /** The conversation's number, to vary what is not a line. */
  readonly seed: number;
};

/** Fills `{name}` places from `values`; undefined when one of them is missing or empty. */
export function fillLine(line: string, values: LineValues): string | undefined {
  let isComplete = true;
  const filled = line.replace(/\{([a-zA-Z]+)\}/g, (_place, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined || value === "") isComplete = false;
    return value ?? "";
  });
  return isComplete ? filled : undefined;
}

/** A chooser for one answer. `said` are the agent's earlier lines, oldest first. */
export function createLineChooser(said: readonly string[], seedText: string): LineChooser {
  const seed = hashText(seedText);
  const saidPlain = said.map(plainWords);
  const lastSaid = (line: string): number => {
    const plain = plainWords(line);
    if (plain === "") return saidPlain.length;
    return saidPlain.findLastIndex((earlier) => earlier === plain || ` ${earlier} `.includes(` ${plain} `));
  };
  const fillAll = (lines: readonly string[], values: LineValues): string[] =>
    lines.flatMap((line) => fillLine(line, values) ?? []);
  const fresh = (lines: readonly string[], values: LineValues = {}): string | undefined => {
    const filled = fillAll(lines, values).filter((line) => lastSaid(line) < 0);
    return filled[seed % Math.max(filled.length, 1)];
  };
  const always = (lines: readonly string[], values: LineValues = {}): string | undefined => {
    const line = fresh(lines, values);
    if (line !== undefined) return line;
    return fillAll(lines, values).toSorted((a, b) => lastSaid(a) - lastSaid(b))[0];
  };
  return { fresh, always, wasSaid: (line) => lastSaid(line) >= 0, seed };
}
