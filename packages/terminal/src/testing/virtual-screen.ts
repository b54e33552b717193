import { Writable } from "node:stream";
import { charactersOf, widthOfCharacter } from "../text-width.ts";

/** A terminal's screen as a person would see it, for tests: understands what our own screen writes, and no more. */
export type VirtualScreen = {
  write(text: string): void;
  /** All rows since the start, scrolled away ones included, without what is empty at the end. */
  rows(): readonly string[];
  cursor(): { readonly row: number; readonly column: number };
  /** Everything that was written, sequences included. */
  raw(): string;
};

type Cell = string | null;

// biome-ignore format: one alternative a line says nothing more.
const token = /\u001b\[([?0-9;]*)([A-Za-z])|[\r\n]|[^\u001b\r\n]+/gu;

/** An empty screen. Rows below the last one scroll the first one away. */
export function createVirtualScreen(columns: number, height: number): VirtualScreen {
  const grid: Cell[][] = [[]];
  let top = 0;
  let row = 0;
  let column = 0;
  let raw = "";

  const line = (at: number): Cell[] => {
    while (grid.length <= at) grid.push([]);
    return grid[at] ?? [];
  };
  const lineFeed = (): void => {
    row += 1;
    if (row - top >= height) top += 1;
    line(row);
  };
  const put = (character: string): void => {
    const width = widthOfCharacter(character);
    if (width === 0) {
      const cells = line(row);
      cells[column - 1] = (cells[column - 1] ?? "") + character;
      return;
    }
    if (column + width > columns) {
      lineFeed();
      column = 0;
    }
    const cells = line(row);
    while (cells.length < column) cells.push(" ");
    cells.splice(column, width, character, ...(width === 2 ? [null] : []));
    column += width;
  };
  const control = (parameters: string, final: string): void => {
    const count = Number(parameters || "1");
    if (final === "A") row = Math.max(top, row - count);
    else if (final === "C") column = Math.min(columns - 1, column + count);
    else if (final === "H") [row, column] = [top, 0];
    else if (final === "J" && parameters === "") {
      line(row).splice(column);
      grid.splice(row + 1);
    } else if (final === "J" && parameters === "2") grid.splice(top);
    else if (final === "J" && parameters === "3") {
      grid.splice(0, top);
      row -= top;
      top = 0;
    } else if (!["m", "h", "l"].includes(final))
      throw new Error(`The virtual screen does not know CSI ${parameters}${final}.`);
  };

  return {
    write(text) {
      raw += text;
      for (const [part, parameters, final] of text.matchAll(token)) {
        if (final !== undefined) control(parameters ?? "", final);
        else if (part === "\r") column = 0;
        else if (part === "\n") lineFeed();
        else for (const character of charactersOf(part)) put(character);
      }
    },
    rows() {
      const rows = grid.map((cells) => cells.join("").trimEnd());
      return rows.slice(0, rows.findLastIndex((each) => each !== "") + 1);
    },
    cursor: () => ({ row, column }),
    raw: () => raw,
  };
}

/** A virtual screen as an output stream that says it is a terminal. */
export function createTtyOutput(
  columns = 60,
  rows = 20,
): Writable & { readonly screen: VirtualScreen; columns: number; rows: number } {
  const screen = createVirtualScreen(columns, rows);
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      screen.write(String(chunk));
      done();
    },
  });
  return Object.assign(output, { isTTY: true, screen, columns, rows });
}
