import type { ClientState } from "@troupe/core";
import { keepValue } from "./kept-value.ts";
import { compareIds, idBefore, isId, timeOfId } from "./payload.ts";

/**
 * How far one loop has come. What is new is begun in the order of ids, and finished once it is durable with the engine; only
 * what lies before everything that is under way is kept, so that the rest is heard again should the program die.
 */
export type Cursor = {
  /** Ask for what came after this. A little of what is known comes again, for X shows some posts late. */
  since(): string;
  /** Everything up to here is durable. */
  done(): string;
  /** Whether it was not begun before. */
  isNew(id: string): boolean;
  /** It is new, and under way now. False when it was begun before. */
  begin(id: string): boolean;
  /** It is durable now. @throws StoreError when that could not be kept; it is heard again then. */
  finish(id: string): Promise<void>;
};

/** X shows a post so late at most. */
const overlapMs = 30_000;

/** Opens a loop's cursor; where nothing is kept it begins behind `from`. @throws StoreError */
export async function openCursor(state: ClientState, name: string, from: string): Promise<Cursor> {
  const kept = await keepValue(state, {
    key: `cursor/${name}`,
    empty: "",
    read: (value) => (typeof value === "string" && isId(value) ? value : null),
  });
  if (kept.get() === "") await kept.change(() => from);
  const first = kept.get();
  const underway = new Set<string>();
  const known = new Set<string>();
  let newest = first;

  const since = (): string => {
    const overlapped = idBefore(timeOfId(newest) - overlapMs);
    return compareIds(overlapped, first) > 0 ? overlapped : first;
  };

  const isNew = (id: string): boolean => !known.has(id) && compareIds(id, first) > 0;

  return {
    since,
    done: () => kept.get(),
    isNew,
    begin(id) {
      if (!isNew(id)) return false;
      known.add(id);
      underway.add(id);
      if (compareIds(id, newest) > 0) newest = id;
      for (const old of known) if (!underway.has(old) && compareIds(old, since()) <= 0) known.delete(old);
      return true;
    },
    async finish(id) {
      underway.delete(id);
      const [oldest] = [...underway].sort(compareIds);
      const upTo = oldest === undefined ? newest : String(BigInt(oldest) - 1n);
      if (compareIds(upTo, kept.get()) > 0) await kept.change(() => upTo);
    },
  };
}
