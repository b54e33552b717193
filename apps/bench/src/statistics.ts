/** The middle of some figures; of an even number of them the upper one. */
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5);
}

/** What a quarter of some figures is below: a round's time on a machine that others use too. */
export function lowerQuartile(figures: readonly number[]): number {
  return quantile(figures, 0.25);
}

function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((left, right) => left - right);
  const found = sorted[Math.floor(sorted.length * share)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}

/** Milliseconds a piece of work takes on this thread. */
export function timeOf(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

/** Collects garbage where the process was started with `--expose-gc`, so that a round does not pay for the one before. */
export function tidy(): void {
  globalThis.gc?.();
}
