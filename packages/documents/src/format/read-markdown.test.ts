import fc from "fast-check";
import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, it } from "vitest";
import type { Block } from "../document.ts";
import { readDocument } from "../read-document.ts";

async function read(text: string): Promise<readonly Block[]> {
  return (await readDocument({ bytes: Buffer.from(text), name: "a.md" })).blocks;
}

const brief = (blocks: readonly Block[]) => blocks.map(({ kind, text }) => [kind, text]);

/** Pieces that begin and end blocks in every way the specification has. */
const line = fc.constantFrom(
  "",
  "",
  "word",
  "Two words",
  "# Title",
  "## Two ##",
  "Setext\n===",
  "- item",
  "  - inner",
  "* star",
  "1. one",
  "2) two",
  "> quote",
  "```ts",
  "```",
  "~~~",
  "    code",
  "---",
  "***",
  "   # three",
  "    four",
  "####### seven",
  "+",
  "  under",
);

describe("readMarkdown", () => {
  it("cuts blocks where CommonMark does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 14 }), async (lines) => {
        // Here the reference parser differs from the specification.
        fc.pre(!/^ {4}.*\n+(?:\+|2\) two)$|^\+\n\n+ {4}/mu.test(lines.join("\n")));
        const text = `begin\n\n${lines.join("\n")}\n`;
        expect((await read(text)).map(({ kind, lines: at }) => [kind, at?.from])).toEqual(expected(fromMarkdown(text)));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the heading path, levels, lines and what the headings say without marks", async () => {
    const blocks = await read("# A `code` *b*\n\ntext\n\n### [Deep](u)\n\nmore\n\n## Back \\# #\n\nend\n");
    expect(blocks.map(({ kind, headings, level, lines }) => [kind, headings, level, lines?.from])).toEqual([
      ["heading", ["A code b"], 1, 1],
      ["paragraph", ["A code b"], undefined, 3],
      ["heading", ["A code b", "Deep"], 3, 5],
      ["paragraph", ["A code b", "Deep"], undefined, 7],
      ["heading", ["A code b", "Back #"], 2, 9],
      ["paragraph", ["A code b", "Back #"], undefined, 11],
    ]);
  });

  it("keeps lists, quotes, code and tables whole, with their marks", async () => {
    const parts = [
      "- one\n  - two\n\n    more\n- three",
      "> quoted\n> - list",
      "```ts\nconst a = 1;\n\n# no title\n```",
      "| a | b |\n|---|:-:|\n| 1 | 2 |",
    ];
    expect(brief(await read(parts.join("\n\n")))).toEqual([
      ["list", parts[0]],
      ["paragraph", parts[1]],
      ["code", parts[2]],
      ["table", parts[3]],
    ]);
  });

  it("closes a fence that is never closed", async () => {
    expect(brief(await read("~~~~py\nx = 1\n\n\n"))).toEqual([["code", "~~~~py\nx = 1\n~~~~"]]);
  });

  it("reads front matter as a block and its title as the document's", async () => {
    const document = await readDocument({
      bytes: Buffer.from("---\ntitle: 'The guide'\ntags: [a]\n---\n# Other\n"),
      name: "a.md",
    });
    expect(document.title).toBe("The guide");
    expect(document.blocks[0]).toMatchObject({ kind: "code", language: "yaml", lines: { from: 1, to: 4 } });
    expect((await read("---\nnot matter at all\n---\n"))[0]?.kind).not.toBe("code");
  });

  it("reads HTML within as what it says", async () => {
    expect(
      brief(
        await read(
          '<h1 align="center">Logo</h1>\n\n<!-- hidden\n\nstill -->\n\n<details><summary>More</summary>\n<b>bold</b></details>\n',
        ),
      ),
    ).toEqual([
      ["heading", "Logo"],
      ["paragraph", "More"],
      ["paragraph", "bold"],
    ]);
  });

  it("reads ten thousand levels of nesting", async () => {
    const deep = [
      ">".repeat(10_000),
      "- ".repeat(10_000),
      "[".repeat(10_000),
      `# ${"*".repeat(10_000)}`,
      "  ".repeat(10_000),
    ];
    expect(await read(deep.map((each) => `${each}x`).join("\n\n"))).toHaveLength(5);
  });
});

/** What the reference parser says of the same text: a list of other marks begins another list, a table is unknown to it. */
function expected(root: Root): readonly (readonly [string, number | undefined])[] {
  const kinds: Readonly<Record<string, string>> = {
    heading: "heading",
    paragraph: "paragraph",
    list: "list",
    code: "code",
    blockquote: "paragraph",
  };
  return root.children.flatMap((node) => {
    const kind = kinds[node.type];
    const isEmpty =
      (node.type === "heading" && node.children.length === 0) || (node.type === "code" && node.value.trim() === "");
    return kind === undefined || isEmpty ? [] : [[kind, node.position?.start.line] as const];
  });
}
