import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";

/** The lines a person typed, kept over restarts: one JSON string a line, readable by the owner alone. */
export type History = {
  /** Oldest first, at most `limit` of them. */
  readonly entries: readonly string[];
  /** Keeps one more line, unless it repeats the last one or is very long. */
  add(text: string): void;
};

const longestEntry = 10_000;

/** Opens the history in a file, or one that is forgotten at the end. What cannot be read or written costs a warning, no more. */
export function openHistory(path: string | undefined, log: Log, limit = 1_000): History {
  const kept = path === undefined ? [] : read(path, log);
  const entries = kept.slice(-limit);
  if (path !== undefined && kept.length > limit * 2) {
    attempt(log, path, () => {
      writeFileSync(`${path}.new`, entries.map(encode).join(""), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    });
  }
  return {
    entries,
    add(text) {
      if (text.length > longestEntry || entries.at(-1) === text) return;
      entries.push(text);
      if (entries.length > limit) entries.shift();
      if (path === undefined) return;
      attempt(log, path, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        appendFileSync(path, encode(text), { mode: 0o600 });
        chmodSync(path, 0o600);
      });
    },
  };
}

function encode(text: string): string {
  return `${JSON.stringify(text)}\n`;
}

function read(path: string, log: Log): string[] {
  const text = attempt(log, path, () => readFileSync(path, "utf8")) ?? "";
  return text.split("\n").flatMap((line) => {
    const entry = decode(line);
    return entry === null ? [] : [entry];
  });
}

function decode(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "string" ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function attempt<Value>(log: Log, path: string, act: () => Value): Value | undefined {
  try {
    return act();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) log.warn({ path, error: errorMessage(error) }, "the terminal's history is not kept");
    return undefined;
  }
}
