import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../api-error.ts";
import type { Entity } from "./entity.ts";
import { formatText } from "./format-text.ts";
import { parseHtml } from "./parse-html.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { parseMarkdownV2 } from "./parse-markdown-v2.ts";

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return "none";
};

const shown = (entities: readonly Entity[]): unknown[] =>
  entities.map(({ type, offset, length, url, language, userId, customEmojiId }) =>
    [type, offset, length, url ?? language ?? userId ?? customEmojiId].filter((part) => part !== undefined),
  );

describe("HTML", () => {
  it.each([
    ["é<b", "Unclosed start tag at byte offset 2"],
    ["é<video>x</video>", 'Unsupported start tag "video" at byte offset 2'],
    ["<i =x>", 'Empty attribute name in the tag "i" at byte offset 0'],
    ["<i a = ", 'Unclosed start tag "i" at byte offset 0'],
    ["<i a=1,>", "Unexpected end of name token at byte offset 5"],
    ['<i a="1>', "Unclosed start tag at byte offset 0"],
    ["x</b>", "Unexpected end tag at byte offset 1"],
    ["<i>x</i", "Unclosed end tag at byte offset 4"],
    ["<i>x</b>", 'Unmatched end tag at byte offset 4, expected "</i>", found "</b>"'],
    ["<i>x", 'Can\'t find end tag corresponding to start tag "i"'],
    ["<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ])("refuses %s with Telegram's words", (source, words) => {
    expect(refusal(() => parseHtml(source))).toBe(words);
  });

  it("knows every tag", () => {
    const source =
      '<b>1</b><i>2</i><u>3</u><s>4</s><tg-spoiler>5</tg-spoiler><span class="tg-spoiler">6</span><code>7</code>' +
      '<pre>8</pre><pre><code class="language-ts">9</code></pre><blockquote>a</blockquote><blockquote expandable>b</blockquote>' +
      '<a href="https://example.com?a=1&amp;b=2">c</a><a href="tg://user?id=42">d</a><tg-emoji emoji-id="5368324170671202286">👍</tg-emoji>';
    expect(shown(parseHtml(source).entities)).toEqual([
      ["bold", 0, 1],
      ["italic", 1, 1],
      ["underline", 2, 1],
      ["strikethrough", 3, 1],
      ["spoiler", 4, 1],
      ["spoiler", 5, 1],
      ["code", 6, 1],
      ["pre", 7, 1],
      ["pre", 8, 1, "ts"],
      ["blockquote", 9, 1],
      ["expandable_blockquote", 10, 1],
      ["text_link", 11, 1, "https://example.com/?a=1&b=2"],
      ["text_mention", 12, 1, 42],
      ["custom_emoji", 13, 2, "5368324170671202286"],
    ]);
  });

  it("decodes the four references and numbers, and leaves others alone", () => {
    expect(parseHtml("&lt;&gt;&amp;&quot;&#128512;&#x41;&nbsp;&ampx").text).toBe('<>&"😀A&nbsp;&ampx');
    expect(refusal(() => parseHtml("&#xD800;"))).toContain("invalid Unicode characters");
  });
});

describe("MarkdownV2", () => {
  it.each([
    ["é_a", "Can't find end of Italic entity at byte offset 2"],
    ["*a _b_", "Can't find end of Bold entity at byte offset 0"],
    ["`a", "Can't find end of Code entity at byte offset 0"],
    ["```a", "Can't find end of Pre entity at byte offset 0"],
    ["```a ", "Can't find end of PreCode entity at byte offset 0"],
    ["[a](b", "Can't find end of a URL at byte offset 4"],
    ["||a\\|", "Can't find end of Spoiler entity at byte offset 0"],
    ["1.0", "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ["a>b", "Character '>' is reserved and must be escaped with the preceding '\\'"],
    ["![👍]", "Custom emoji entity must contain a tg://emoji URL"],
    [">*a\nb*", "Can't find end of Bold entity at byte offset 1"],
  ])("refuses %s with Telegram's words", (source, words) => {
    expect(refusal(() => parseMarkdownV2(source))).toBe(words);
  });

  it("nests styles", () => {
    const source = "*bold _italic bold ~struck ||hidden||~ __underlined___ bold*";
    expect(shown(parseMarkdownV2(source).entities)).toEqual([
      ["bold", 0, 46],
      ["italic", 5, 36],
      ["strikethrough", 17, 13],
      ["spoiler", 24, 6],
      ["underline", 31, 10],
    ]);
  });

  it.each([
    [">a\n>b\nc", [["blockquote", 0, 4]]],
    [">a\n>b||\nc", [["expandable_blockquote", 0, 4]]],
    [
      ">a\n**>b",
      [
        ["blockquote", 0, 2],
        ["blockquote", 2, 1],
      ],
    ],
    ["```ts\nlet a\\`;```", [["pre", 0, 7, "ts"]]],
    [
      "`a``b`",
      [
        ["code", 0, 1],
        ["code", 1, 1],
      ],
    ],
    [
      "[a](tg://user?id=7) [b](example.com)",
      [
        ["text_mention", 0, 1, 7],
        ["text_link", 2, 1, "http://example.com/"],
      ],
    ],
    ["![👍](tg://emoji?id=25)", [["custom_emoji", 0, 2, "25"]]],
  ])("reads %s", (source, entities) => {
    expect(shown(parseMarkdownV2(source).entities)).toEqual(entities);
  });
});

describe("legacy Markdown", () => {
  it("knows four kinds of entities and no nesting", () => {
    expect(shown(parseMarkdown("*a* _b_ `c*` [d](example.com) ```js\ne``` \\*").entities)).toEqual([
      ["bold", 0, 1],
      ["italic", 2, 1],
      ["code", 4, 2],
      ["text_link", 7, 1, "http://example.com/"],
      ["pre", 9, 1, "js"],
    ]);
    expect(refusal(() => parseMarkdown("é *a"))).toBe("Can't find end of the entity starting at byte offset 3");
  });
});

describe("text", () => {
  it("is trimmed, its entities with it", () => {
    expect(formatText({ text: " \n hi <b>you </b>\n", parseMode: "HTML" })).toEqual({
      text: "hi you",
      entities: [{ type: "bold", offset: 3, length: 3 }],
    });
  });

  it("gets the entities that Telegram finds, outside of code", () => {
    const text =
      "Hi @ada_l /go@my_bot #tag $USD a@b.io https://x.io/a. see example.com <code>@nobody</code> +1 555 123 4567";
    expect(shown(formatText({ text, parseMode: "html" }).entities)).toEqual([
      ["mention", 3, 6],
      ["bot_command", 10, 10],
      ["hashtag", 21, 4],
      ["cashtag", 26, 4],
      ["email", 31, 6],
      ["url", 38, 14],
      ["url", 58, 11],
      ["code", 70, 7],
      ["phone_number", 78, 15],
    ]);
  });

  it("keeps no style within code, no link within a link, and cuts a style where it crosses", () => {
    expect(shown(formatText({ text: "<b>a<code>b</code>c</b>", parseMode: "HTML" }).entities)).toEqual([
      ["bold", 0, 1],
      ["code", 1, 1],
      ["bold", 2, 1],
    ]);
    const entities = [
      { type: "italic", offset: 9, length: 3 },
      { type: "bot_command", offset: 0, length: 3 },
    ];
    expect(shown(formatText({ text: "Tap /start now", entities }).entities)).toEqual([
      ["bot_command", 4, 6],
      ["italic", 9, 1],
      ["italic", 10, 2],
    ]);
  });

  it("refuses an unknown parse mode, half a character, and entities outside of it", () => {
    expect(refusal(() => formatText({ text: "a", parseMode: "XML" }))).toBe("Bad Request: unsupported parse_mode");
    expect(refusal(() => formatText({ text: "\ud83d" }))).toBe("Bad Request: strings must be encoded in UTF-8");
    expect(refusal(() => formatText({ text: "a", entities: [{ type: "bold", offset: 0, length: 2 }] }))).toContain(
      "ends after the end of the text",
    );
    expect(refusal(() => formatText({ text: "😀", entities: [{ type: "bold", offset: 1, length: 1 }] }))).toContain(
      "in a middle of a UTF-16 symbol",
    );
  });
});

const markup = fc
  .array(
    fc.oneof(
      fc.constantFrom("*", "_", "__", "~", "||", "`", "```", "[", "](", ")", ">", "\n", "\r", "\\", "!", "!["),
      fc.constantFrom(
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<pre>",
        "<code class='language-x'>",
        "</code>",
        "</pre>",
        "</>",
        "<a href=",
        "&lt",
        "&#",
      ),
      fc.constantFrom(
        "<blockquote>",
        "</blockquote>",
        "tg://user?id=1",
        "example.com",
        "@name",
        "/start",
        "#tag",
        "😀",
        " ",
        "é",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

describe("any text", () => {
  it.each(["HTML", "MarkdownV2", "Markdown", ""])("is read or refused as a bad request (%s)", (parseMode) => {
    fc.assert(
      fc.property(markup, (source) => {
        try {
          const { text, entities } = formatText({ text: source, parseMode });
          expect(text.isWellFormed()).toBe(true);
          expect(text).toBe(text.replace(/[ \n]+$/, ""));
          for (const { offset, length } of entities) {
            expect(offset >= 0 && length > 0 && offset + length <= text.length).toBe(true);
            expect(text.slice(offset, offset + length).isWellFormed()).toBe(true);
          }
          expectNesting(entities);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.code).toBe(400);
          expect(error.message).toMatch(/^Bad Request: \S/);
        }
      }),
      { numRuns: 400 },
    );
  });

  it("comes back as it was when it is escaped", () => {
    const escapes = {
      HTML: (text: string) => text.replace(/[<>&]/g, (one) => ({ "<": "&lt;", ">": "&gt;" })[one] ?? "&amp;"),
      MarkdownV2: (text: string) => text.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, "\\$&"),
    };
    fc.assert(
      fc.property(fc.oneof(markup, fc.string({ unit: "grapheme" })), (source) => {
        if (!source.isWellFormed()) return;
        for (const [parseMode, escape] of Object.entries(escapes)) {
          expect(formatText({ text: escape(source), parseMode })).toEqual(formatText({ text: source }));
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** Of two entities that meet, one holds the other; code holds nothing. */
function expectNesting(entities: readonly Entity[]): void {
  for (const [index, one] of entities.entries()) {
    for (const other of entities.slice(index + 1)) {
      const [oneEnd, otherEnd] = [one.offset + one.length, other.offset + other.length];
      if (oneEnd <= other.offset || otherEnd <= one.offset) continue;
      const holds = one.offset <= other.offset && otherEnd <= oneEnd;
      const isHeld = other.offset <= one.offset && oneEnd <= otherEnd;
      expect(holds || isHeld, JSON.stringify([one, other])).toBe(true);
      const codes = [one, other].filter(({ type }) => type === "code" || type === "pre");
      if (codes.length > 0) expect([one, other].some(({ type }) => type.endsWith("blockquote"))).toBe(true);
    }
  }
}
