import type { DatabaseSync } from "node:sqlite";
import type { Term } from "./segment.ts";
import { prepare } from "./statement.ts";

/** Leaves out the words of a question that nearly everything holds: they tell nothing and cost the most. */
export type Telling = (terms: readonly Term[]) => readonly Term[];

/** A word is common when more than one memory in so many holds it, and more than so many do. */
const commonShare = 50;
const commonCount = 500;
/** So many of the rarest words are kept in any case. */
const keptAtLeast = 3;
/** So many words are remembered; and counted anew when the index has grown by so much. */
const maxRemembered = 5000;
const growth = 1.2;

/** The common words of one database, in whatever language. They are counted when they are first asked for. */
export function createTelling(database: DatabaseSync): Telling {
  const holding = prepare<readonly [number]>(database, "select doc from memory_words where term = ?");
  const indexed = prepare<readonly [number]>(database, "select last_no from searchable");
  let counts = new Map<string, number>();
  let countedAt = 0;
  const countOf = (word: string): number => {
    const known = counts.get(word);
    if (known !== undefined) return known;
    const count = holding.get(word)?.[0] ?? 0;
    if (counts.size >= maxRemembered) counts.clear();
    counts.set(word, count);
    return count;
  };
  /** Of words side by side the rarest says how often they can occur; what only begins a word is taken for rare. */
  const commonness = ({ phrase, isPrefix }: Term): number =>
    isPrefix ? 0 : Math.min(...phrase.split(" ").map(countOf));

  return (terms) => {
    const size = indexed.get()?.[0] ?? 0;
    if (terms.length <= keptAtLeast || size <= commonCount) return terms;
    if (size > countedAt * growth || size < countedAt) {
      counts = new Map();
      countedAt = size;
    }
    const limit = Math.max(commonCount, size / commonShare);
    const rarest = terms.map((term) => ({ term, count: commonness(term) })).toSorted((a, b) => a.count - b.count);
    // Those nobody has said yet cost nothing, and find nothing either.
    const unheard = rarest.filter(({ term, count }) => count === 0 && !term.isPrefix).length;
    return rarest.filter(({ count }, at) => at < unheard + keptAtLeast || count <= limit).map(({ term }) => term);
  };
}
