/**
 * The known key somebody most likely meant, or undefined when none is close:
 * at most one slip in three letters (an insertion, omission, replacement or swap of neighbours), case and `_-` not counted.
 */
export function nearestKey(written: string, known: readonly string[]): string | undefined {
  const plain = plainKey(written);
  if (plain.length === 0 || plain.length > 60) return undefined;
  let best: { readonly key: string; readonly distance: number } | undefined;
  for (const key of known) {
    const distance = slips(plain, plainKey(key));
    const allowed = Math.max(1, Math.floor(Math.min(plain.length, key.length) / 3));
    if (distance <= Math.min(allowed, 3) && (best === undefined || distance < best.distance)) best = { key, distance };
  }
  return best?.key;
}

function plainKey(key: string): string {
  return key.toLowerCase().replace(/[_\-\s]/g, "");
}

/** Optimal string alignment distance between two short keys. */
function slips(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let least = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap && row > 1 && column > 1) least = Math.min(least, at(row - 2, column - 2) + 1);
      current.push(least);
    }
  }
  return at(left.length, right.length);
}
