/** One thing the doctor looked at. `broken` keeps something from working; `doubtful` is worth a look. */
export type Finding = {
  readonly state: "fine" | "doubtful" | "broken";
  /** What was looked at, in a word or two; the same for all findings about it. */
  readonly subject: string;
  readonly message: string;
  /** What to do about it; there unless all is fine. */
  readonly remedy?: string;
};

const signs = { fine: "✓", doubtful: "!", broken: "✗" } as const;
const colours = { fine: 32, doubtful: 33, broken: 31 } as const;

/** A finding on one line. */
export function renderFinding({ state, subject, message, remedy }: Finding, isColoured: boolean): string {
  const sign = isColoured ? `\u001b[${colours[state]}m${signs[state]}\u001b[0m` : signs[state];
  const advice = remedy === undefined ? "" : ` → ${remedy}`;
  return `${sign} ${subject}: ${`${message}${advice}`.replaceAll(/\s*\n\s*/g, "; ")}`;
}

/** All is well with a subject. */
export function fine(subject: string, message: string): Finding {
  return { state: "fine", subject, message };
}

/** Something about a subject is worth a look. */
export function doubtful(subject: string, message: string, remedy: string): Finding {
  return { state: "doubtful", subject, message, remedy };
}

/** Something about a subject does not work. An error's message ends in its remedy already, so there may be none beside it. */
export function broken(subject: string, message: string, remedy?: string): Finding {
  return { state: "broken", subject, message, ...(remedy !== undefined && { remedy }) };
}
