import type { Range } from "../document.ts";

/** Lines that stand together; `from` counts from 1. */
export type LineGroup = { readonly text: string; readonly lines: Range };

/** Cuts text before every line for which `startsGroup` holds. Groups without text are left out, blank ends are trimmed. */
export function groupLines(
  text: string,
  startsGroup: (line: string, previous: string | undefined) => boolean,
): readonly LineGroup[] {
  const groups: LineGroup[] = [];
  const lines = text.split("\n");
  let from = 0;
  const close = (to: number) => {
    let first = from;
    let last = to - 1;
    while (first <= last && isBlank(lines[first])) first++;
    while (last >= first && isBlank(lines[last])) last--;
    if (first <= last) groups.push(lineGroup(lines, first, last));
    from = to;
  };
  lines.forEach((line, at) => {
    if (at > from && startsGroup(line, lines[at - 1])) close(at);
  });
  close(lines.length);
  return groups;
}

/** The lines `first` … `last` (indexes, both included) as a group. */
function lineGroup(lines: readonly string[], first: number, last: number): LineGroup {
  return { text: lines.slice(first, last + 1).join("\n"), lines: { from: first + 1, to: last + 1 } };
}

/** True for a line without anything to see. */
export function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}
