import type { CommandContext } from "../commands/context.ts";
import { type Column, renderTable } from "./table.ts";

/** What a command that shows something writes with. */
export type Output = Pick<CommandContext, "out" | "isTty" | "columns">;

/** How wide a table may be where nobody looks at it in a terminal. */
const widthWithoutTerminal = 160;

// JSON leaves these as they are, and a terminal may obey them.
const unsafeInJson = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Writes a value as JSON that is safe to look at. */
export function writeJson({ out }: Pick<Output, "out">, value: unknown): void {
  const text = JSON.stringify(value, null, 2) ?? "null";
  const safe = text.replace(unsafeInJson, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, "0")}`);
  out.write(`${safe}\n`);
}

/** Writes rows as a table that fits the terminal, or `empty` when there are none. */
export function writeTable<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  { rows, empty }: { readonly rows: readonly Row[]; readonly empty: string },
): void {
  const width = output.isTty ? output.columns : widthWithoutTerminal;
  output.out.write(rows.length === 0 ? `${empty}\n` : renderTable(columns, rows, width));
}
