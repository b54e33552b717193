/** What single lines of Markdown say. @see https://spec.commonmark.org/0.31.2/#leaf-blocks */

/** An opening fence: its characters and its language. */
export function openingFence(line: string): { readonly fence: string; readonly language?: string } | undefined {
  const match = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^\s`]*)/u.exec(line);
  if (match === null) return undefined;
  const [, fence = "", language = ""] = match;
  return { fence, ...(language === "" ? {} : { language }) };
}

/** True for the line that closes that fence. */
export function closesFence(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u.exec(line)?.[1];
  return closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length;
}

/** `## Title ##` */
export function atxHeading(line: string): { readonly level: number; readonly text: string } | undefined {
  const match = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/u.exec(line);
  if (match === null) return undefined;
  const [, marks = "", rest = ""] = match;
  return { level: marks.length, text: plainInline(withoutClosingMarks(rest.trimEnd())) };
}

function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return end === 0 || title[end - 1] === " " || title[end - 1] === "\t" ? title.slice(0, end).trimEnd() : title;
}

/** The line below a title: `===` is 1, `---` is 2. */
export function setextLevel(line: string): number | undefined {
  const mark = /^ {0,3}(=+|-+)[ \t]*$/u.exec(line)?.[1];
  return mark === undefined ? undefined : mark.startsWith("=") ? 1 : 2;
}

/** `* * *` */
export function isThematicBreak(line: string): boolean {
  return /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/u.test(line);
}

/** A list item's marker; `content` is the column its content begins at. */
export function listMarker(
  line: string,
): { readonly mark: string; readonly content: number; readonly interrupts: boolean } | undefined {
  const match = /^( {0,3})([-*+]|(\d{1,9})([.)]))([ \t]+|$)(.*)$/u.exec(line);
  if (match === null || isThematicBreak(line)) return undefined;
  const [, indent = "", marker = "", number, delimiter, space = "", rest = ""] = match;
  const width = rest === "" || space.length > 4 ? 1 : Math.max(1, space.length);
  return {
    mark: delimiter ?? marker,
    content: indent.length + marker.length + width,
    interrupts: rest !== "" && (number === undefined || number === "1"),
  };
}

/** The column of the first thing on a line; tabs reach to the next multiple of four. */
export function indentOf(line: string): number {
  let column = 0;
  for (const character of line) {
    if (character === " ") column++;
    else if (character === "\t") column += 4 - (column % 4);
    else break;
  }
  return column;
}

const blockTags =
  /^ {0,3}<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[\s/>]|$)/iu;

/** What ends an HTML block that begins here: a closing mark, or a blank line; undefined when none begins. */
export function htmlBlockEnd(line: string): RegExp | "blank" | undefined {
  if (/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/iu.test(line)) return /<\/(?:script|pre|style|textarea)>/iu;
  if (/^ {0,3}<!--/u.test(line)) return /-->/u;
  return blockTags.test(line) ? "blank" : undefined;
}

/** A line that is one complete tag and nothing else; begins HTML, but not within a paragraph. */
export function isLoneTag(line: string): boolean {
  return /^ {0,3}<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?>[ \t]*$/iu.test(line);
}

/** How many cells a table's delimiter row (`| --- | :-: |`) has. */
export function delimiterCells(line: string): number | undefined {
  if (!/^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/u.test(line) || !line.includes("|"))
    return undefined;
  return countCells(line);
}

/** How many cells a table's row has. */
export function countCells(line: string): number {
  return line
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "")
    .split(/(?<!\\)\|/u).length;
}

/** A line's text without marks: links and images become their text, code and emphasis their content. */
export function plainInline(text: string): string {
  if (text.length > 2_000) return text;
  return text
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/gu, "$1")
    .replace(/(`+)(.+?)\1(?!`)/gu, (_, _marks, code: string) => code.trim())
    .replace(/<\/?[a-z][^<>]*>/giu, "")
    .replace(/(\*{1,3}|(?<![\p{L}\p{N}])_{1,3})(?=\S)([^*_]+?)(?<=\S)\1/gu, "$2")
    .replace(/\\([!-/:-@[-`{-~])/gu, "$1")
    .trim();
}
