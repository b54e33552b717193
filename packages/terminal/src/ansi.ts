/** How a stretch of output looks. A `name` has a colour of its own, the same every time. */
export type Style = { readonly type: "plain" | "dim" | "error" } | { readonly type: "name"; readonly name: string };

/** A stretch of output in one style; its text is clean. */
export type Segment = { readonly text: string; readonly style: Style };

const nameColours = [36, 35, 33, 32, 34, 96, 95, 93, 92, 94];

/** A text with the sequences that give it its style. */
export function paint(text: string, style: Style): string {
  switch (style.type) {
    case "plain":
      return text;
    case "dim":
      return `\u001b[2m${text}\u001b[22m`;
    case "error":
      return `\u001b[31m${text}\u001b[39m`;
    case "name":
      return `\u001b[1;${colourOf(style.name)}m${text}\u001b[22;39m`;
  }
}

function colourOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return nameColours[sum % nameColours.length] ?? 36;
}

/** Moves over the screen. Rows and columns count from 0. */
export const ansi = {
  up: (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : ""),
  toColumn: (column: number): string => (column > 0 ? `\r\u001b[${column}C` : "\r"),
  clearBelow: "\u001b[J",
  clearScreen: "\u001b[H\u001b[2J\u001b[3J",
  hideCursor: "\u001b[?25l",
  showCursor: "\u001b[?25h",
  pasteOn: "\u001b[?2004h",
  pasteOff: "\u001b[?2004l",
} as const;
