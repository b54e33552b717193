/** Takes back what was done to tables. */
export type Undo = {
  /** A table whose changes can be taken back. */
  table<Key, Value>(): Map<Key, Value>;
  /** Does some work, all or nothing: when it throws, every table is as it was. */
  all<Result>(work: () => Result): Result;
};

/** Remembers, while work is done, how to take it back; this costs what is changed, not what is there. */
export function createUndo(): Undo {
  let steps: (() => void)[] | null = null;
  return {
    table: <Key, Value>() => recorded(new Map<Key, Value>(), (step) => steps?.push(step)),
    all(work) {
      steps = [];
      try {
        return work();
      } catch (error) {
        const taken = steps.reverse();
        steps = null;
        for (const step of taken) step();
        throw error;
      } finally {
        steps = null;
      }
    },
  };
}

/** The same map, which tells how to take back each change before it happens. */
function recorded<Key, Value>(map: Map<Key, Value>, onChange: (undo: () => void) => void): Map<Key, Value> {
  const set = map.set.bind(map);
  const remove = map.delete.bind(map);
  const clear = map.clear.bind(map);
  /** What was taken away goes back to its place, not to the end. */
  const restore = (rows: readonly (readonly [Key, Value])[]): void => {
    clear();
    for (const [key, value] of rows) set(key, value);
  };
  map.set = (key, value) => {
    const before = map.get(key);
    onChange(map.has(key) ? () => set(key, before as Value) : () => remove(key));
    return set(key, value);
  };
  map.delete = (key) => {
    if (!map.has(key)) return false;
    const rows = [...map];
    onChange(() => restore(rows));
    return remove(key);
  };
  map.clear = () => {
    const rows = [...map];
    onChange(() => restore(rows));
    clear();
  };
  return map;
}
