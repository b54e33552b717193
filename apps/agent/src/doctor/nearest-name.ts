/** The known name that takes the fewest changed letters to reach, when at most a third of the written one changes. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((name) => ({ name, changes: countChanges(written.toUpperCase(), name) }))
    .sort((left, right) => left.changes - right.changes);
  const best = ranked[0];
  return best && best.changes <= Math.min(4, Math.floor(written.length / 3)) ? best.name : undefined;
}

/** Letters put in, left out or replaced. */
function countChanges(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
