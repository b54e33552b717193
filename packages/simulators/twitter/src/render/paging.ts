import { invalidParameter, invalidRequest } from "../problem.ts";
import { timeOf } from "../world/snowflake.ts";

/** Something in a list, with its place: greater is newer. */
export type Placed<T> = { readonly order: bigint; readonly value: T };

/** How many results a page may have. */
export type Bounds = { readonly min: number; readonly max: number; readonly usual: number };

/** A page, newest first. */
export type Page<T> = { readonly values: readonly T[]; readonly next?: string; readonly previous?: string };

/** Cuts a page out of a list. @throws Problem for a size out of bounds or a token that is none. */
export function pageOf<T>(items: readonly Placed<T>[], query: URLSearchParams, bounds: Bounds): Page<T> {
  const size = sizeOf(query, bounds);
  const sorted = items.toSorted((a, b) => (a.order > b.order ? -1 : a.order < b.order ? 1 : 0));
  const token = tokenOf(query);
  const from = startOf(sorted, token, size);
  const page = sorted.slice(from, from + size);
  const last = page.at(-1);
  const first = page.at(0);
  const hasMore = last !== undefined && from + size < sorted.length;
  return {
    values: page.map(({ value }) => value),
    ...(hasMore ? { next: encode("older", last.order) } : {}),
    ...(from > 0 && first !== undefined ? { previous: encode("newer", first.order) } : {}),
  };
}

/** The part of `meta` that leads on. */
export function tokens(page: Page<unknown>): Readonly<Record<string, string>> {
  return {
    ...(page.next === undefined ? {} : { next_token: page.next }),
    ...(page.previous === undefined ? {} : { previous_token: page.previous }),
  };
}

/** Only what lies between `since_id`, `until_id`, `start_time` and `end_time`. */
export function within<T extends { readonly id: string }>(items: readonly T[], query: URLSearchParams): T[] {
  const since = idOf(query, "since_id");
  const until = idOf(query, "until_id");
  const start = timeParameter(query, "start_time");
  const end = timeParameter(query, "end_time");
  return items.filter(({ id }) => {
    const order = BigInt(id);
    const at = timeOf(id);
    return (
      (since === null || order > since) &&
      (until === null || order < until) &&
      (start === null || at >= start) &&
      (end === null || at < end)
    );
  });
}

function idOf(query: URLSearchParams, name: string): bigint | null {
  const value = query.get(name);
  if (value === null) return null;
  if (!/^\d{1,19}$/.test(value)) throw invalidParameter(name, value, "is not valid");
  return BigInt(value);
}

function timeParameter(query: URLSearchParams, name: string): number | null {
  const value = query.get(name);
  if (value === null) return null;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) && !Number.isNaN(Date.parse(value));
  if (!isTime) throw invalidParameter(name, value, "is not a valid RFC3339 date");
  return Date.parse(value);
}

function sizeOf(query: URLSearchParams, { min, max, usual }: Bounds): number {
  const value = query.get("max_results");
  if (value === null) return usual;
  const size = Number(value);
  if (/^-?\d+$/.test(value) && size >= min && size <= max) return size;
  throw invalidParameter("max_results", value, `is not between ${min} and ${max}`);
}

type Token = { readonly direction: "older" | "newer"; readonly order: bigint };

function tokenOf(query: URLSearchParams): Token | null {
  const name = query.has("pagination_token") ? "pagination_token" : "next_token";
  const value = query.get(name);
  if (value === null) return null;
  const match = /^(older|newer) (\d+)$/.exec(Buffer.from(value, "base64url").toString("utf8"));
  if (match === null || query.getAll(name).length > 1) {
    throw invalidRequest({
      parameters: { [name]: [value] },
      message: `The \`${name}\` query parameter value [${value}] is not valid`,
    });
  }
  return { direction: match[1] === "older" ? "older" : "newer", order: BigInt(match[2] ?? "0") };
}

function startOf(sorted: readonly Placed<unknown>[], token: Token | null, size: number): number {
  if (token === null) return 0;
  const older = sorted.findIndex(({ order }) => order < token.order);
  if (token.direction === "older") return older === -1 ? sorted.length : older;
  const here = sorted.findIndex(({ order }) => order <= token.order);
  return Math.max(0, (here === -1 ? sorted.length : here) - size);
}

function encode(direction: Token["direction"], order: bigint): string {
  return Buffer.from(`${direction} ${order}`).toString("base64url");
}
