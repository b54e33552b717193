import type { Clock } from "./options.ts";

/** 2015-01-01T00:00:00Z in milliseconds, where Discord's ids begin to count. @see https://discord.com/developers/docs/reference#snowflakes */
const epochMs = 1_420_070_400_000;

/** Makes a source of ids: each later than the one before, even when the clock stands still or goes back. */
export function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const earliest = BigInt(Math.max(0, Math.floor(clock.now()) - epochMs)) << 22n;
    last = earliest > last ? earliest : last + 1n;
    return last.toString();
  };
}

/** When an id was made, in milliseconds since 1970. */
export function snowflakeMs(id: string): number {
  return Number(BigInt(id) >> 22n) + epochMs;
}

/** Below 0 when `left` is the older id, above 0 when it is the newer. */
export function compareSnowflakes(left: string, right: string): number {
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Whether a text could be an id: up to 20 digits. */
export function looksLikeSnowflake(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

/** Whether anything could be an id. */
export function isSnowflake(value: unknown): value is string {
  return typeof value === "string" && looksLikeSnowflake(value);
}

/** The place of `id` in a list ordered by id, or where it would stand. */
export function placeOf(list: readonly { readonly id: string }[], id: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = list[middle];
    if (entry && compareSnowflakes(entry.id, id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
