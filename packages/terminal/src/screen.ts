import { ansi, paint, type Style } from "./ansi.ts";
import type { TerminalApi } from "./api.ts";
import { layOut } from "./layout.ts";
import type { Sink } from "./sink.ts";
import { createTail } from "./tail.ts";
import { cutToWidth, widthOf } from "./text-width.ts";

/** What stands below the output: who is thinking, and the line being typed after its prompt. */
export type Footer = {
  readonly status: string;
  readonly prompt: string;
  readonly promptStyle: Style;
  readonly text: string;
  readonly cursor: number;
};

/** Output above, the line being typed below; neither disturbs the other. */
export type Screen = Sink & {
  /** Shows another footer; null takes it away. */
  setFooter(footer: Footer | null): Promise<void>;
  /** Draws anew for another size of the window. */
  resize(): Promise<void>;
  /** Wipes everything but the footer. */
  clear(): Promise<void>;
};

/** The footer as it stands: widths of its rows, and where in them the cursor is. */
type Drawn = { readonly widths: readonly number[]; readonly cursorRow: number; readonly cursorColumn: number };

const nothingDrawn: Drawn = { widths: [], cursorRow: 0, cursorColumn: 0 };

/**
 * Draws on a terminal. Between any two writes the screen is: output, then the footer right below it, the cursor in the
 * footer. To print, the footer is erased, the cursor goes to the output's end, and the footer is drawn again: all in one write.
 */
export function createScreen(api: Pick<TerminalApi, "write" | "size">, hasColours: boolean): Screen {
  let footer: Footer | null = null;
  let drawn = nothingDrawn;
  const tail = createTail(() => api.size().columns);
  const styled = (text: string, style: Style): string => (hasColours && text !== "" ? paint(text, style) : text);

  /** From the footer's cursor to the end of the output. */
  const eraseFooter = (): string => {
    if (drawn.widths.length === 0) return "";
    const top = `\r${ansi.up(drawn.cursorRow)}${ansi.clearBelow}`;
    drawn = nothingDrawn;
    return tail.column() > 0 ? `${top}${ansi.up(1)}${ansi.toColumn(tail.column())}` : top;
  };

  const drawFooter = (): string => {
    if (!footer) return "";
    const { columns, rows } = api.size();
    const promptWidth = Math.min(widthOf(footer.prompt), columns - 2);
    const maxRows = Math.max(1, Math.min(rows - 2, Math.ceil(rows / 2)));
    const { text, cursor } = footer;
    const layout = layOut({ text, cursor, indent: promptWidth, columns, maxRows });
    const status = footer.status === "" ? [] : [cutToWidth(footer.status, columns - 1)];
    const lines = [...status.map((line) => styled(line, { type: "dim" })), ...layout.rows];
    const prompt = layout.isFromStart ? cutToWidth(footer.prompt, promptWidth) : "";
    lines[status.length] = styled(prompt, footer.promptStyle) + (layout.rows[0] ?? "");
    const widths = [...status, ...layout.rows].map(widthOf);
    if (prompt !== "") widths[status.length] = (widths[status.length] ?? 0) + promptWidth;
    const cursorRow = status.length + layout.cursorRow;
    drawn = { widths, cursorRow, cursorColumn: layout.cursorColumn };
    const start = tail.column() > 0 ? "\r\n" : "";
    return `${start}${lines.join("\r\n")}${ansi.up(lines.length - 1 - cursorRow)}${ansi.toColumn(layout.cursorColumn)}`;
  };

  const redraw = (between: () => string): Promise<void> => {
    const erase = eraseFooter();
    const middle = between();
    return api.write(`${ansi.hideCursor}${erase}${middle}${drawFooter()}${ansi.showCursor}`);
  };

  return {
    print: (segments, start) =>
      redraw(() => {
        const lead = start !== "here" && tail.column() > 0 ? tail.advance("\n", true) : "";
        if (start === "mark") tail.mark();
        const isResumed = lead === "";
        const parts = segments.map(({ text, style }, index) =>
          styled(tail.advance(text, isResumed && index === 0), style),
        );
        return lead + parts.join("");
      }),
    async eraseToMark() {
      const rows = tail.rowsSinceMark();
      if (rows === null || rows + drawn.widths.length + 1 >= api.size().rows) return false;
      await redraw(() => {
        tail.clear();
        return `\r${ansi.up(rows)}${ansi.clearBelow}`;
      });
      return true;
    },
    setFooter(next) {
      footer = next;
      return redraw(() => "");
    },
    resize() {
      const { columns } = api.size();
      const above = drawn.widths.slice(0, drawn.cursorRow).reduce((rows, width) => rows + rowsOf(width, columns), 0);
      drawn = { ...drawn, cursorRow: above + Math.floor(drawn.cursorColumn / columns) };
      tail.rebreak();
      return redraw(() => "");
    },
    clear: () => redraw(() => ansi.clearScreen + tail.advance(tail.clear(), false)),
  };
}

/** How many rows a row of this width takes once the terminal has broken it anew. */
function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}
