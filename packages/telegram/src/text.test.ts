import { parseHtml } from "@troupe/simulator-telegram";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toTelegramText } from "./text.ts";

/** What Telegram reads: the words, and what marks which of them. */
function read(markdown: string) {
  const { text, entities } = parseHtml(toTelegramText(markdown).html);
  const marked = entities.map(({ type, offset, length, url, language }) => {
    const detail = url ?? language;
    return [type, text.slice(offset, offset + length), ...(detail === undefined ? [] : [detail])];
  });
  return { text, marked };
}

describe("Markdown as Telegram's HTML", () => {
  it.each<[string, string, readonly (readonly string[])[]]>([
    ["plain words", "plain words", []],
    [
      "**bold**, *slanted*, `code`",
      "bold, slanted, code",
      [
        ["bold", "bold"],
        ["italic", "slanted"],
        ["code", "code"],
      ],
    ],
    [
      "~~gone~~ and ||hidden||",
      "gone and hidden",
      [
        ["strikethrough", "gone"],
        ["spoiler", "hidden"],
      ],
    ],
    [
      "**bold *and slanted***",
      "bold and slanted",
      [
        ["bold", "bold and slanted"],
        ["italic", "and slanted"],
      ],
    ],
    ["# Title\ntext", "Title\ntext", [["bold", "Title"]]],
    ["```ts\nconst a = 1 < 2;\n```", "const a = 1 < 2;", [["pre", "const a = 1 < 2;", "ts"]]],
    ["```\nopen", "open", [["pre", "open"]]],
    ["> said\n> so\n\nyes", "said\nso\n\nyes", [["blockquote", "said\nso"]]],
    ["[Ada](https://example.com/a_b)", "Ada", [["text_link", "Ada", "https://example.com/a_b"]]],
    ["[Ada](/about) and <https://example.com>", "Ada (/about) and https://example.com", []],
    ["![a cat](https://example.com/cat.png)", "a cat", [["text_link", "a cat", "https://example.com/cat.png"]]],
    ["- one\n- two\n  - deep\n\n3. three", "• one\n• two\n  • deep\n\n3. three", []],
    ['1 < 2 & <b>not bold</b> &amp; "quoted"', '1 < 2 & <b>not bold</b> & "quoted"', []],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4", []],
    ["a\n\n\n\nb\n---\n***", "a\n\nb\n———", [["bold", "b"]]],
    [
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      [["pre", "| a | b |\n|---|---|\n| 1 | 2 |"]],
    ],
    ["    indented, and\n<tags>", "indented, and\n<tags>", []],
    ["#", "#", []],
    ["  \n", "  \n", []],
  ])("reads %j as it is meant", (markdown, text, marked) => {
    expect(read(markdown)).toEqual({ text, marked });
  });

  it("is read by Telegram exactly as it says, whatever the text, and never longer than it was", () => {
    const pieces = fc.constantFrom(
      ...[
        "**",
        "*",
        "_",
        "`",
        "```",
        "~~",
        "||",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "[",
        "](",
        ")",
        "<",
        ">",
        "&",
        "&lt;",
        "![",
        "|",
        "---",
      ],
      ...["  ", "\t", "word", "x", "é", "👩‍👩‍👧‍👦", 'https://a.example/?q="1"', "\\", "\r\n", "\0", "\ufeff"],
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (markdown) => {
        const { html, text } = toTelegramText(markdown);
        expect(parseHtml(html).text).toBe(text);
        expect(text.length).toBeLessThanOrEqual(markdown.length);
        expect(text.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("marks exactly what was marked", () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const styles = [
      ["", ""],
      ["**", "bold"],
      ["*", "italic"],
      ["`", "code"],
      ["~~", "strikethrough"],
      ["||", "spoiler"],
    ] as const;
    const piece = fc.record({
      words: fc.array(word, { minLength: 1, maxLength: 3 }),
      style: fc.constantFrom(...styles),
    });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (meant) => {
        const said = meant.map(({ words, style: [mark] }) => `${mark}${words.join(" ")}${mark}`).join(" – ");
        const { text, marked } = read(said);
        expect(text).toBe(meant.map(({ words }) => words.join(" ")).join(" – "));
        expect(marked).toEqual(
          meant.filter(({ style }) => style[1] !== "").map(({ words, style }) => [style[1], words.join(" ")]),
        );
      }),
    );
  });
});
