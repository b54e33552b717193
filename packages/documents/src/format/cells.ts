/** Cells as one line: `Ada | 36 | London`. Line breaks within a cell become spaces, empty cells at the end are left out. */
export function joinCells(cells: readonly string[]): string {
  const texts = cells.map((cell) => cell.replace(/\s+/gu, " ").trim());
  return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1).join(" | ");
}

/** True when a first row reads like names of columns: all there, all different, short, none a number or a date. */
export function looksLikeHeader(cells: readonly string[]): boolean {
  const names = cells.map((cell) => cell.trim());
  return (
    names.length > 1 &&
    names.every((name) => name !== "" && name.length <= 80 && !/^[-+\d.,:/\s%€$£¥]+$/u.test(name)) &&
    new Set(names).size === names.length
  );
}
