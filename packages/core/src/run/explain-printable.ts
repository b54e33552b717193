// Escape sequences of terminals: control sequences and terminated strings in their 7-bit and 8-bit forms, then shorter ones. What
// is not terminated hides nothing: only its beginning goes.
const escapeSequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/gu;
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/**
 * A text as it may be shown in a terminal: escape sequences, control characters and marks that turn the writing direction of
 * what follows are gone, line ends are `\n`, tabs are spaces, half characters are replaced.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(escapeSequences, "")
    .replace(/\r\n?|[\u0085\u2028\u2029]/gu, "\n")
    .replaceAll("\t", "  ")
    .replace(controls, "");
}

/** A text on one line, ready to be shown; runs of white space become one space. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/gu, " ").trim();
}

/** A span of time for people: `12 ms`, `1.9 s`, `2 min 3 s`, `4 h 5 min`, `3 d 4 h`. */
export function formatDuration(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return "an unknown time";
  if (durationMs < 0) return `-${formatDuration(-durationMs)}`;
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_950) return `${(durationMs / 1_000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 3_600) return pair(seconds, 60, "min", "s");
  if (seconds < 86_400) return pair(Math.round(seconds / 60), 60, "h", "min");
  return pair(Math.round(seconds / 3_600), 24, "d", "h");
}

function pair(amount: number, size: number, large: string, small: string): string {
  const rest = amount % size;
  return rest === 0
    ? `${Math.floor(amount / size)} ${large}`
    : `${Math.floor(amount / size)} ${large} ${rest} ${small}`;
}

/** An amount of money for people, from millionths of a US dollar: `$0.0012`; never rounded to nothing. */
export function formatCost(costMicrousd: number): string {
  if (!Number.isFinite(costMicrousd)) return "an unknown amount";
  if (costMicrousd === 0) return "$0";
  const dollars = costMicrousd / 1_000_000;
  const digits = Math.abs(dollars) >= 1 ? 2 : Math.abs(dollars) >= 0.01 ? 4 : 6;
  return `$${dollars.toFixed(digits)}`;
}

/** A whole number with its thousands set apart: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

/** A number with its noun: `1 message`, `2 messages`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The beginning of an id that people are shown: its first eight characters. */
export function shortId(id: string): string {
  return printableLine(id.slice(0, 8));
}
