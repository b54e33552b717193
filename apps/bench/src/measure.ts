/** In what a figure is given. */
export type Unit = "µs" | "ms" | "MB" | "/s" | "characters" | "of it" | "calls";

/** What a figure must be: as much as `limit` times the floor at most or at least, or `limit` itself at most or at least. */
export type Goal =
  | { readonly type: "ratio-at-most"; readonly limit: number }
  | { readonly type: "ratio-at-least"; readonly limit: number }
  | { readonly type: "at-most"; readonly limit: number }
  | { readonly type: "at-least"; readonly limit: number };

/** One line of the table. */
export type Row = {
  readonly name: string;
  readonly ours: number;
  /** What the bare way takes for the same; absent where the goal is a figure of its own. */
  readonly floor?: number;
  readonly unit: Unit;
  readonly goal: Goal;
};

/** How thoroughly to measure. `rounds` is per measure; a measure that waits for real time may do fewer. */
export type Effort = { readonly rounds: number };

/** One thing that is measured, as one line of the table or a few. */
export type Measure = {
  /** What `--only` calls it. */
  readonly name: string;
  /** What is measured against what, in a sentence. */
  readonly legend: string;
  run(effort: Effort): Promise<readonly Row[]>;
};

/** Ours in terms of the floor, or of the limit where there is no floor. */
export function ratioOf({ ours, floor, goal }: Row): number {
  return ours / (floor ?? goal.limit);
}

/** Whether a line meets its goal. */
export function isMet(row: Row): boolean {
  switch (row.goal.type) {
    case "ratio-at-most":
      return ratioOf(row) <= row.goal.limit;
    case "ratio-at-least":
      return ratioOf(row) >= row.goal.limit;
    case "at-most":
      return row.ours <= row.goal.limit;
    case "at-least":
      return row.ours >= row.goal.limit;
  }
}
