import { quarterTokens } from "./tokens.ts";

let sentences: Intl.Segmenter | undefined;
let words: Intl.Segmenter | undefined;
let graphemes: Intl.Segmenter | undefined;

/** A dot behind one of these, or behind a single capital letter, does not end a sentence. */
const abbreviation =
  /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|No|Nr|vs|cf|ca|bzw|etc|approx|Fig|e\.g|i\.e|z\.B|d\.h|u\.a)\.\s*$/u;

/** A longer "sentence" is a list of capitals, not one with abbreviations. */
const abbreviationUnits = 400;

/**
 * Cuts a text into pieces that put together are the text. A piece is a sentence with the white space behind it; only a sentence above
 * the limit is cut between words, only such a word between graphemes, only such a grapheme between code points.
 * `limit` in quarter tokens, at least 16.
 */
export function splitText(text: string, limit: number): readonly string[] {
  return splitSentences(text).flatMap((sentence) =>
    quarterTokens(sentence) <= limit ? [sentence] : splitSentence(sentence, limit),
  );
}

/** Sentences of any script, each with the white space behind it. */
export function splitSentences(text: string): readonly string[] {
  sentences ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const found: string[] = [];
  let from = 0;
  for (const { segment, index } of sentences.segment(text)) {
    if (index + segment.length - from < abbreviationUnits && abbreviation.test(segment.slice(-12))) continue;
    found.push(text.slice(from, index + segment.length));
    from = index + segment.length;
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

/** A sentence above the limit: packed between words. */
function splitSentence(sentence: string, limit: number): readonly string[] {
  words ??= new Intl.Segmenter("en", { granularity: "word" });
  const units: string[] = [];
  for (const { segment, isWordLike } of words.segment(sentence)) {
    const last = units.at(-1);
    // Punctuation and white space stay with the word before.
    if (isWordLike !== true && last !== undefined && quarterTokens(last + segment) <= limit)
      units[units.length - 1] = last + segment;
    else units.push(segment);
  }
  return pack(
    units.flatMap((unit) => (quarterTokens(unit) <= limit ? [unit] : splitWord(unit, limit))),
    limit,
  );
}

/** Code units looked at together: no word is segmented as a whole, however long it is. */
const windowUnits = 4_096;

function splitWord(word: string, limit: number): readonly string[] {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const pieces: string[] = [];
  let from = 0;
  while (from < word.length) {
    const window = windowOf(word, from);
    // The last grapheme of a window may go on behind it; one that fills a window is cut between code points.
    const isLast = from + window.length === word.length;
    const units = isAscii(window)
      ? asciiUnits(window, limit)
      : [...graphemes.segment(window)].map(({ segment }) => segment);
    const whole = isLast || units.length < 2 ? units : units.slice(0, -1);
    pieces.push(...whole.flatMap((unit) => (quarterTokens(unit) <= limit ? [unit] : pack([...unit], limit))));
    from += whole.reduce((sum, unit) => sum + unit.length, 0);
  }
  return pack(pieces, limit);
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/u.test(text);
}

/** Every sign is a grapheme, so any place will do. */
function asciiUnits(text: string, limit: number): readonly string[] {
  const units: string[] = [];
  // Less than a window, so that its last unit can be left to the next one: a mark may follow.
  const step = Math.min(limit, windowUnits / 8);
  for (let from = 0; from < text.length; from += step) units.push(text.slice(from, from + step));
  return units;
}

/** Never ends within a surrogate pair. */
function windowOf(word: string, from: number): string {
  const window = word.slice(from, from + windowUnits);
  const splitsPair = window.length === windowUnits && /[\u{d800}-\u{dbff}]$/u.test(window);
  return splitsPair ? window.slice(0, -1) : window;
}

function pack(units: readonly string[], limit: number): readonly string[] {
  const packed: string[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const unit of units) {
    const added = quarterTokens(unit);
    if (size + added <= limit) packed[packed.length - 1] = (packed.at(-1) ?? "") + unit;
    else packed.push(unit);
    size = size + added <= limit ? size + added : added;
  }
  return packed;
}
