import type { Clock } from "../clock.ts";

const epochMs = 1_288_834_974_657n;

/** Makes ids as X does: the milliseconds since its epoch, then 22 bits that count; later ids are greater. */
export function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const first = (BigInt(Math.trunc(clock.now())) - epochMs) << 22n;
    last = first > last ? first : last + 1n;
    return String(last);
  };
}

/** The time an id was made at, epoch milliseconds. */
export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + epochMs);
}
