import { findDate } from "./read-date.ts";
import { readDuration, readEasternDuration } from "./read-duration.ts";
import { readExact } from "./read-exact.ts";
import { readRepeating } from "./read-repeating.ts";
import { type Token, tokenize } from "./tokens.ts";
import { type FoundWhen, forms, type ReadingTime, unreadable, type WhenReading } from "./when.ts";

const longestText = 200;
const longestSearched = 1_000;

/** Words that may stand beside a time without meaning anything. */
const fillers = new Set([
  "please",
  "bitte",
  "at",
  "on",
  "am",
  "um",
  "the",
  "gegen",
  "ab",
  "from",
  "starting",
  "jeweils",
  "uhr",
]);

/**
 * Reads when something is to happen from a person's words: ISO dates and durations and cron expressions; single times in sixteen
 * languages; what happens again and again in English and German. Never throws: what it cannot read, what can be read in two ways
 * and what has passed is an error that says what to write.
 */
export async function readWhen(text: string, time: ReadingTime): Promise<WhenReading> {
  const said = text.normalize("NFC").trim();
  if (said === "") return unreadable(`No time is given; ${forms}.`);
  if (said.length > longestText) return unreadable(`A time of ${said.length} characters is beyond me; ${forms}.`);
  const exact = await readExact(said, time);
  if (exact) return exact;
  const found = await find(said, time);
  if (!found) return unreadable(`I cannot read a time from “${shown(said)}”; ${forms}.`);
  const rest = `${said.slice(0, found.start)} ${said.slice(found.end)}`;
  const unread = tokenize(rest).filter(({ word }) => /[\p{L}\d]/u.test(word) && !fillers.has(word));
  if (unread.length > 0) {
    return unreadable(
      `I cannot tell what “${shown(unread.map(({ word }) => word).join(" "))}” means in “${shown(said)}”; ${forms}.`,
    );
  }
  return found.ok ? { ok: true, schedule: found.schedule } : unreadable(found.error);
}

/** When, and the rest of what was said. */
export type SplitReading = { readonly when: WhenReading; readonly what: string };

const introductions = /^(?:me|us|to|about|that|of|mich|uns|an|daran|dass|,|:|-|–)(?:\s+|$)/iu;
const endings = /\s+(?:at|on|um|am|,|:|-|–)$/iu;

/** Splits `tomorrow at 8 to call mum` into the time and what it is for; null when no time is to be found. */
export async function splitWhen(text: string, time: ReadingTime): Promise<SplitReading | null> {
  const said = text.normalize("NFC").trim();
  if (said === "" || said.length > longestSearched) return null;
  const found = await find(said, time);
  if (!found) return null;
  const when = found.ok ? ({ ok: true, schedule: found.schedule } as const) : unreadable(found.error);
  const before = said.slice(0, found.start).trim().replace(endings, "");
  const behind = said.slice(found.end).trim();
  let what = [before, behind].filter((part) => part !== "").join(" ");
  while (introductions.test(what)) what = what.replace(introductions, "");
  return { when, what: what.replace(endings, "").trim() };
}

/** The reading that makes most of a text; of two as long, the stricter one. */
async function find(text: string, time: ReadingTime): Promise<FoundWhen | null> {
  const tokens = tokenize(text);
  const candidates = [
    longest(tokens, (from) => readRepeating(tokens, from, time)),
    longest(tokens, (from) => readDuration(tokens, from, time)),
    readEasternDuration(text, time),
    await findDate(text, time),
  ];
  let best: FoundWhen | null = null;
  for (const found of candidates) {
    if (found && (!best || found.end - found.start > best.end - best.start)) best = found;
  }
  return best;
}

function longest(
  tokens: readonly Token[],
  read: (from: number) => (WhenReading & { readonly length: number }) | null,
): FoundWhen | null {
  let best: FoundWhen | null = null;
  for (const [from, { start }] of tokens.entries()) {
    const reading = read(from);
    const last = reading && tokens[from + reading.length - 1];
    if (!reading || !last) continue;
    if (!best || last.end - start > best.end - best.start) best = { ...reading, start, end: last.end };
  }
  return best;
}

function shown(text: string): string {
  const characters = [...text];
  return characters.length > 60 ? `${characters.slice(0, 59).join("")}…` : text;
}
