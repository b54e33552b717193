/** Who has which relation to what, in the order in which it came about. */
export type Relation = {
  /** False when it was so already. */
  add(from: string, to: string): boolean;
  /** False when it was not so. */
  remove(from: string, to: string): boolean;
  has(from: string, to: string): boolean;
  /** What `from` has it to, oldest first, each with its place in the order. */
  of(from: string): readonly Related[];
  /** What has it to `to`, oldest first. */
  to(to: string): readonly Related[];
};

/** One end of a relation; `order` grows. */
export type Related = { readonly id: string; readonly order: bigint };

type Side = Map<string, Map<string, bigint>>;

/** Makes an empty relation. */
export function createRelation(): Relation {
  const forward: Side = new Map();
  const backward: Side = new Map();
  let order = 0n;
  const list = (side: Side, id: string): Related[] =>
    [...(side.get(id) ?? [])].map(([other, at]) => ({ id: other, order: at }));
  const isSo = (from: string, to: string): boolean => forward.get(from)?.has(to) ?? false;
  return {
    add(from, to) {
      if (isSo(from, to)) return false;
      order += 1n;
      put(forward, from, to, order);
      put(backward, to, from, order);
      return true;
    },
    remove(from, to) {
      backward.get(to)?.delete(from);
      return forward.get(from)?.delete(to) ?? false;
    },
    has: isSo,
    of: (from) => list(forward, from),
    to: (to) => list(backward, to),
  };
}

function put(...[side, key, other, order]: [Side, string, string, bigint]): void {
  const others = side.get(key) ?? new Map<string, bigint>();
  others.set(other, order);
  side.set(key, others);
}
