import { InvalidArgumentError, Option } from "commander";

const mostRows = 10_000;

/** `--limit N`: how many rows, from 1 to 10,000. */
export function limitOption(usual: number): Option {
  return new Option("-n, --limit <count>", "how many at most").default(usual).argParser(readLimit);
}

/** `--room ROOM`: by id, a beginning of it, name or the platform's id. */
export function roomOption(): Option {
  return new Option("-r, --room <room>", "only this room: its id, a beginning of it, its name, or the platform's id");
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option("--json", "print it as JSON");
}

function readLimit(written: string): number {
  const limit = Number(written);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostRows) return limit;
  throw new InvalidArgumentError(`Write a whole number from 1 to ${mostRows}.`);
}
