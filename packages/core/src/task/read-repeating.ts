import { readTime, type TimeReading } from "./read-time.ts";
import { type Rhythm, toSchedule } from "./rhythm.ts";
import type { Token } from "./tokens.ts";
import type { ReadingTime, TokenReading } from "./when.ts";
import { dayGroups, dayParts, everyWords, months, numbers, oftenWords, units, weekdays, weeklyNames } from "./words.ts";

/** Reads what happens again and again, in English or German, from a token on; null when nothing there says that it does. */
export function readRepeating(tokens: readonly Token[], from: number, time: ReadingTime): TokenReading | null {
  const reader = new Reader(tokens, from);
  const rhythm = reader.read();
  if (!rhythm) return null;
  return { ...toSchedule(rhythm, time), length: reader.position() - from };
}

const joints = new Set(["and", "und", ",", "&", "or", "oder"]);
const prepositions = new Set([
  "on",
  "at",
  "am",
  "im",
  "in",
  "the",
  "of",
  "den",
  "dem",
  "des",
  "der",
  "jeweils",
  "each",
]);

/** Reads token by token; what does not belong to the rhythm any more ends it, joints and prepositions before it left out. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #from: number;
  #at: number;
  /** Behind the last token that meant something. */
  #end: number;
  #every: Rhythm["every"];
  #isRepeated = false;
  readonly #weekdays = new Set<number>();
  readonly #days: (number | "last")[] = [];
  readonly #times: TimeReading[] = [];
  #month: number | undefined;
  #part: number | undefined;

  constructor(tokens: readonly Token[], from: number) {
    this.#tokens = tokens;
    this.#from = from;
    this.#at = from;
    this.#end = from;
  }

  position(): number {
    return this.#end;
  }

  read(): Rhythm | null {
    // A rhythm does not begin with a preposition, but for one before the days it is about.
    if (this.#isWord(prepositions) && !this.#leadsIntoDays()) return null;
    while (this.#at < this.#tokens.length && this.#readOne()) {
      // Goes on as long as something belongs to it.
    }
    if (!this.#isRepeated || this.#end === this.#from) return null;
    return {
      ...(this.#every && { every: this.#every }),
      weekdays: [...this.#weekdays].sort((a, b) => a - b),
      days: this.#days,
      times: this.#times,
      ...(this.#month !== undefined && { month: this.#month }),
      ...(this.#part !== undefined && { part: this.#part }),
    };
  }

  #leadsIntoDays(): boolean {
    const next = this.#tokens[this.#at + 1]?.word ?? "";
    return weeklyNames.has(next) || dayGroups.has(next);
  }

  #readOne(): boolean {
    return (
      this.#readEvery() ||
      this.#readOften() ||
      this.#readGroup() ||
      this.#readWeekdays() ||
      this.#readTime() ||
      this.#readDayOfMonth() ||
      this.#readMonth() ||
      this.#readPart() ||
      this.#skipJoint()
    );
  }

  #word(ahead = 0): string {
    return this.#tokens[this.#at + ahead]?.word ?? "";
  }

  #isWord(words: { has(word: string): boolean }): boolean {
    return words.has(this.#word());
  }

  #take(count: number): true {
    this.#at += count;
    this.#end = this.#at;
    return true;
  }

  /** `every`, `every 15 minutes`, `every other day`, `alle zwei Wochen`, `jeden Tag`. */
  #readEvery(): boolean {
    if (!this.#isWord(everyWords) || this.#isRepeated) return false;
    const skipped = this.#word(1) === "single" ? 2 : 1;
    const counted = this.#countAt(skipped);
    const unit = units.get(this.#word(skipped + counted.length));
    const isNamed = this.#isNameAhead(skipped + counted.length);
    if (!unit && (counted.length > 0 || !isNamed)) return false;
    this.#isRepeated = true;
    if (unit) this.#every = { count: counted.count, unit };
    return this.#take(unit ? skipped + counted.length + 1 : skipped);
  }

  #countAt(ahead: number): { readonly count: number; readonly length: number } {
    const word = this.#word(ahead);
    if (/^\d{1,6}$/u.test(word)) {
      const next = this.#word(ahead + 1);
      const isOrdinal = next === "." || ["st", "nd", "rd", "th"].includes(next);
      if (isOrdinal && !units.has(this.#word(ahead + 2))) return { count: 1, length: 0 };
      return { count: Number(word), length: isOrdinal ? 2 : 1 };
    }
    if (["other", "second", "zweite", "zweiten", "zweiter", "zweites"].includes(word)) {
      return units.has(this.#word(ahead + 1)) ? { count: 2, length: 1 } : { count: 1, length: 0 };
    }
    const number = numbers.get(word);
    return number === undefined ? { count: 1, length: 0 } : { count: number, length: 1 };
  }

  /** A day, a month, a part of the day or a day of the month follows. */
  #isNameAhead(ahead: number): boolean {
    const word = this.#word(ahead);
    const isNamed = [weekdays, dayGroups, dayParts, months].some((known) => known.has(word));
    return isNamed || ordinalAt(this.#tokens, this.#at + ahead) !== null;
  }

  #readOften(): boolean {
    const unit = oftenWords.get(this.#word());
    if (!unit || this.#every) return false;
    this.#isRepeated = true;
    this.#every = { count: 1, unit };
    return this.#take(1);
  }

  #readGroup(): boolean {
    const word = this.#word();
    const group = dayGroups.get(word);
    if (!group) return false;
    const isPlural = word.endsWith("s") || word.endsWith("en");
    if (!this.#isRepeated && !isPlural) return false;
    this.#isRepeated = true;
    for (const day of group) this.#weekdays.add(day);
    return this.#take(1);
  }

  /** `Monday`, `Mondays`, `Monday to Friday`, `Mo-Fr` with their longer names. */
  #readWeekdays(): boolean {
    const first = weekdays.get(this.#word());
    if (first === undefined) return false;
    const isRange = ["to", "bis", "-", "–", "through"].includes(this.#word(1));
    const last = isRange ? weekdays.get(this.#word(2)) : undefined;
    if (!this.#isRepeated && last === undefined && !weeklyNames.has(this.#word())) return false;
    if (!this.#isRepeated && !weeklyNames.has(this.#word()) && this.#at > this.#from) return false;
    this.#isRepeated = true;
    for (let day = first; ; day = (day + 1) % 7) {
      this.#weekdays.add(day);
      if (last === undefined || day === last) break;
    }
    return this.#take(last === undefined ? 1 : 3);
  }

  #readTime(): boolean {
    if (!this.#isRepeated) return false;
    const first = readTime(this.#tokens, this.#at);
    // After one time "and 18:30" and "and 6pm" are times too, and so is the bare number in "at 8 and 18".
    const bare = !first && this.#times.length > 0 && joints.has(this.#tokens[this.#at - 1]?.word ?? "");
    const read = first ?? (bare ? readBare(this.#tokens, this.#at) : null);
    if (!read) return false;
    this.#times.push(read);
    return this.#take(read.length);
  }

  #readDayOfMonth(): boolean {
    if (!this.#isRepeated) return false;
    const day = ordinalAt(this.#tokens, this.#at);
    if (!day) return false;
    this.#days.push(day.day);
    return this.#take(day.length);
  }

  #readMonth(): boolean {
    const month = months.get(this.#word());
    if (month === undefined || !this.#isRepeated || this.#month !== undefined) return false;
    this.#month = month;
    this.#take(1);
    const day = Number(/^\d{1,2}$/u.exec(this.#word())?.[0]);
    if (this.#days.length === 0 && day >= 1 && day <= 31 && !readTime(this.#tokens, this.#at)) {
      this.#days.push(day);
      this.#take(1);
    }
    return true;
  }

  #readPart(): boolean {
    const part = dayParts.get(this.#word());
    if (part === undefined || !this.#isRepeated || this.#part !== undefined) return false;
    this.#part = part;
    return this.#take(1);
  }

  /** Passed over, and counted only if something follows that belongs to the rhythm. */
  #skipJoint(): boolean {
    if (!this.#isWord(joints) && !this.#isWord(prepositions)) return false;
    this.#at += 1;
    return true;
  }
}

function readBare(tokens: readonly Token[], at: number): TimeReading | null {
  const word = tokens[at]?.word ?? "";
  return /^(?:[01]?\d|2[0-3])$/u.test(word) ? { hour: Number(word), minute: 0, length: 1 } : null;
}

/** `1st`, `15th`, `15.`, `first`, `last day`, `letzten` as a day of the month. */
function ordinalAt(
  tokens: readonly Token[],
  at: number,
): { readonly day: number | "last"; readonly length: number } | null {
  const [word = "", next = ""] = [tokens[at]?.word, tokens[at + 1]?.word];
  if (word === "first" || word === "ersten") return { day: 1, length: next === "day" || next === "tag" ? 2 : 1 };
  if (word === "last" || word === "letzten") {
    return next === "day" || next === "tag" ? { day: "last", length: 2 } : null;
  }
  const day = Number(/^\d{1,2}$/u.exec(word)?.[0]);
  if (!(day >= 1 && day <= 31)) return null;
  return next === "." || ["st", "nd", "rd", "th"].includes(next) ? { day, length: 2 } : null;
}
