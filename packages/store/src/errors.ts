import type { Failure, FailureCode } from "./protocol.ts";

/** A refusal of our own, on the side that owns the file: an outdated fence, an unknown name, a wrong value. */
export class Refusal extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.name = "Refusal";
    this.code = code;
  }
}

/** Where it happened: the file's path, for the message. */
export type FailureContext = { readonly path: string };

type Rule = { readonly code: FailureCode; readonly retryAfterMs?: number; message(path: string): string };

const full: Rule = {
  code: "exhausted",
  message: (path) =>
    `the store could not write to ${path}: the disk or quota is full; make room and try again (what was accepted before is kept)`,
};
const readOnly: Rule = {
  code: "unavailable",
  message: (path) =>
    `the store could not write to ${path}: it is read-only for this user; make the file and its directory writable, or choose another TROUPE_HOME`,
};
const corrupt: Rule = {
  code: "corrupt",
  message: (path) =>
    `the database ${path} is damaged or is not a database of Troupe; restore a backup, or move the file (with its -wal and -shm) away to begin anew; \`troupe doctor\` tells more`,
};
const busy: Rule = {
  code: "unavailable",
  retryAfterMs: 1000,
  message: (path) =>
    `the database ${path} is locked by another process; stop that process or try again when it is done`,
};
const cannotOpen: Rule = {
  code: "unavailable",
  message: (path) =>
    `the database ${path} cannot be opened; check that the path names a file in a directory this user may read and write`,
};
const input: Rule = {
  code: "unavailable",
  retryAfterMs: 1000,
  message: (path) => `reading or writing ${path} failed; check the disk and the system's log, then try again`,
};
const memory: Rule = {
  code: "exhausted",
  message: (path) => `there is not enough memory to work on ${path}; free some and try again`,
};
const tooBig: Rule = {
  code: "invalid",
  message: () => "the value is too large to be kept: a text may have at most 1 GB",
};
const constraint: Rule = {
  code: "invalid",
  message: () => "a value has the wrong type or is missing",
};

/** SQLite's primary result codes (the low byte of an extended one). @see https://sqlite.org/rescode.html */
const rulesByResult: ReadonlyMap<number, Rule> = new Map([
  [5, busy],
  [6, busy],
  [7, memory],
  [8, readOnly],
  [10, input],
  [11, corrupt],
  [13, full],
  [14, cannotOpen],
  [18, tooBig],
  [19, constraint],
  [26, corrupt],
]);

/** Extended codes that mean something else than their family: no room for the shared memory, a damaged page. */
const rulesByExtendedResult: ReadonlyMap<number, Rule> = new Map([
  [10 | (19 << 8), full],
  [10 | (32 << 8), corrupt],
  [10 | (33 << 8), corrupt],
]);

const rulesByErrno: ReadonlyMap<string, Rule> = new Map([
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EFBIG", full],
  ["EACCES", readOnly],
  ["EPERM", readOnly],
  ["EROFS", readOnly],
  ["ENOTDIR", cannotOpen],
  ["EISDIR", cannotOpen],
  ["EEXIST", cannotOpen],
  ["ENOENT", cannotOpen],
  ["ELOOP", cannotOpen],
  ["ENAMETOOLONG", cannotOpen],
  ["EIO", input],
]);

/**
 * What a caller is told about anything thrown while working on a database: SQLite's and the system's errors by their
 * codes, our own refusals as they are, everything else as a defect (`internal`).
 */
export function toFailure(error: unknown, context: FailureContext): Failure {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  const rule = ruleFor(error);
  if (!rule) return { code: "internal", message: `the store failed: ${textOf(error)}` };
  const message = `${rule.message(context.path)} (${textOf(error)})`;
  return rule.retryAfterMs === undefined
    ? { code: rule.code, message }
    : { code: rule.code, message, retryAfterMs: rule.retryAfterMs };
}

function ruleFor(error: unknown): Rule | undefined {
  const result = numberAt(error, "errcode");
  if (result !== undefined) return rulesByExtendedResult.get(result) ?? rulesByResult.get(result & 0xff);
  const errno = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof errno === "string" ? rulesByErrno.get(errno) : undefined;
}

function numberAt(error: unknown, name: string): number | undefined {
  if (!(error instanceof Error) || !(name in error)) return undefined;
  const value = Object.getOwnPropertyDescriptor(error, name)?.value;
  return typeof value === "number" ? value : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
