import { describe, expect, it } from "vitest";
import type { Block } from "../document.ts";
import { type ReadDocumentInput, readDocument } from "../read-document.ts";
import { docxParagraph, docxTable, writeDocx } from "../testing/write-docx.ts";
import { writePdf } from "../testing/write-pdf.ts";

const read = (bytes: Uint8Array | string, name: string, more: Partial<ReadDocumentInput> = {}) =>
  readDocument({ bytes: Buffer.from(bytes as string), name, ...more });
const brief = (blocks: readonly Block[]) => blocks.map(({ kind, text }) => [kind, text]);

describe("HTML", () => {
  it("gives headings, paragraphs, lists, tables, code and links", async () => {
    const { title, blocks } = await read(
      `<!doctype html><html><head><title>The &amp; title</title><style>p{}</style></head><body>
       <h1>Top</h1><p>One   <b>bold</b><br>line, <a href="https://example.org/x">a link</a> and <a href="#y">an anchor</a>.</p>
       <h2>Inner</h2><ul><li>a<li>b<ol><li>c<li>d</ol></ul>
       <table><thead><tr><th>Name<th>City</thead><tr><td>Ada<td>London<br>UK</table>
       <pre><code class="language-js">if (x) {
  y();
}</code></pre><script>alert(1)</script></body></html>`,
      "a.html",
    );
    expect(title).toBe("The & title");
    expect(brief(blocks)).toEqual([
      ["heading", "Top"],
      ["paragraph", "One bold\nline, [a link](https://example.org/x) and an anchor."],
      ["heading", "Inner"],
      ["list", "- a\n- b\n  1. c\n  2. d"],
      ["table", "Name | City\nAda | London UK"],
      ["code", "if (x) {\n  y();\n}"],
    ]);
    expect(blocks[3]?.headings).toEqual(["Top", "Inner"]);
    expect(blocks[4]?.header).toBe("Name | City");
    expect(blocks[5]?.language).toBe("js");
  });

  it("reads the main part and leaves out what surrounds it or is hidden", async () => {
    const { blocks } = await read(
      `<body><nav><a href="/">Home</a></nav><div>Cookies!</div><main><h1>News</h1><p>${"It happened. ".repeat(20)}</p>
       <p hidden>secret</p><div style="display: none">secret</div><svg><title>x</title></svg></main><footer>(c)</footer></body>`,
      "a.html",
    );
    expect(brief(blocks)).toEqual([
      ["heading", "News"],
      ["paragraph", "It happened. ".repeat(20).trim()],
    ]);
  });

  it("reads a page that consists of its surroundings", async () => {
    expect(brief((await read("<nav><p>only this</p></nav>", "a.html")).blocks)).toEqual([["paragraph", "only this"]]);
  });

  it("reads tables that only place things as running text", async () => {
    const { blocks } = await read(
      "<table><tr><td>left<td><h2>Right</h2><p>text</p><table><tr><td>1<td>2<tr><td>3<td>4</table></table>",
      "a.html",
    );
    expect(brief(blocks)).toEqual([
      ["paragraph", "left"],
      ["heading", "Right"],
      ["paragraph", "text"],
      ["table", "1 | 2\n3 | 4"],
    ]);
  });

  it("never shows where scripts would lead", async () => {
    const { blocks } = await read(
      '<p><a href="javascript:x()">click</a> <a href="data:text/html,x">me</a></p>',
      "a.html",
    );
    expect(blocks[0]?.text).toBe("click me");
  });
});

describe("PDF", () => {
  it("gives paragraphs with their page, headings by size, words joined over lines, the title", async () => {
    const bytes = writePdf(
      [
        [
          { text: "Report", size: 24 },
          { text: "The first exam-", gap: 40 },
          { text: "ple of several" },
          { text: "Apart", gap: 40 },
        ],
        [{ text: "Second page" }],
      ],
      "/Info<</Title(The report)>>",
    );
    const { title, blocks, warnings } = await read(bytes, "a.pdf");
    expect({ title, warnings }).toEqual({ title: "The report", warnings: [] });
    expect(blocks).toEqual([
      { kind: "heading", level: 1, text: "Report", headings: ["Report"], page: 1 },
      { kind: "paragraph", text: "The first example of several", headings: ["Report"], page: 1 },
      { kind: "paragraph", text: "Apart", headings: ["Report"], page: 1 },
      { kind: "paragraph", text: "Second page", headings: ["Report"], page: 2 },
    ]);
  });

  it("names pages without text, and refuses a document of nothing else", async () => {
    const { warnings } = await read(writePdf([[{ text: "x" }], [], []]), "a.pdf");
    expect(warnings).toEqual([
      "pages 2, 3 without text that can be read, perhaps images: run text recognition (OCR) on it to have it",
    ]);
    await expect(read(writePdf([[]]), "scan.pdf")).rejects.toMatchObject({
      problem: "no-text",
      message:
        '"scan.pdf" is a PDF without text that can be read, only images or fonts that do not tell their letters: run text recognition (OCR) on it and add the result',
    });
  });

  it("refuses one that is locked, damaged or has too many pages", async () => {
    const lock = `/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${"00".repeat(32)}>/U<${"11".repeat(32)}>>>`;
    await expect(read(writePdf([[{ text: "x" }]], lock), "a.pdf")).rejects.toMatchObject({
      problem: "encrypted",
      message: /"a\.pdf" is a PDF locked/u,
    });
    await expect(read(writePdf([[{ text: "x" }]]).subarray(0, 80), "a.pdf")).rejects.toMatchObject({
      problem: "damaged",
      message: /"a\.pdf" is a damaged PDF/u,
    });
    await expect(read(writePdf([[], [], []]), "a.pdf", { limits: { pages: 2 } })).rejects.toMatchObject({
      problem: "too-many-pages",
      message: '"a.pdf" has 3 pages and the limit is 2 (pages): split it, or raise the limit',
    });
  });
});

describe("DOCX", () => {
  it("gives headings, lists, tables and the title", async () => {
    const body = [
      docxParagraph("Start", "H1"),
      docxParagraph("Text &amp; more"),
      docxParagraph("Part", "H2"),
      docxParagraph("one", "item"),
      docxParagraph("two", "item"),
      docxTable([
        ["Name", "City"],
        ["Ada", "London"],
      ]),
    ];
    const { title, blocks } = await read(writeDocx(body.join(""), "The plan"), "a.docx");
    expect(title).toBe("The plan");
    expect(brief(blocks)).toEqual([
      ["heading", "Start"],
      ["paragraph", "Text & more"],
      ["heading", "Part"],
      ["list", "- one\n- two"],
      ["table", "Name | City\nAda | London"],
    ]);
    expect(blocks[4]).toMatchObject({ headings: ["Start", "Part"], header: "Name | City" });
  });
});

describe("CSV and TSV", () => {
  it("finds the separator and the header, and counts rows and lines", async () => {
    const { blocks } = await read('name;city\nAda;"London;\nUK"\n\nBob;"says ""hi"""\n', "a.csv");
    expect(blocks).toEqual([
      {
        kind: "row",
        text: "Ada | London; UK",
        headings: [],
        header: "name | city",
        rows: { from: 2, to: 2 },
        lines: { from: 2, to: 3 },
      },
      {
        kind: "row",
        text: 'Bob | says "hi"',
        headings: [],
        header: "name | city",
        rows: { from: 3, to: 3 },
        lines: { from: 4, to: 5 },
      },
    ]);
  });

  it("takes a first row of numbers for data", async () => {
    const { blocks } = await read("1\t2\n3\t4\n", "a.tsv");
    expect(brief(blocks)).toEqual([
      ["row", "1 | 2"],
      ["row", "3 | 4"],
    ]);
    expect(blocks[0]?.header).toBeUndefined();
  });

  it("reads on where a quote is never closed, and says so", async () => {
    const { blocks, warnings } = await read('a,b\n"c,d\ne,f\n', "a.csv");
    expect(blocks).toHaveLength(2);
    expect(warnings).toEqual(["a quote is never closed; quotes were read as ordinary characters"]);
  });
});

describe("source code, JSON and YAML", () => {
  it("cuts code at the left edge and keeps comments with what they are about", async () => {
    const { blocks } = await read("import x\n\n# about f\ndef f():\n    a\n\n    b\n\nclass C:\n    pass\n", "a.py");
    expect(blocks).toMatchObject([
      { text: "import x", language: "python", lines: { from: 1, to: 1 } },
      { text: "# about f\ndef f():\n    a\n\n    b", lines: { from: 3, to: 7 } },
      { text: "class C:\n    pass", lines: { from: 9, to: 10 } },
    ]);
  });

  it("breaks long lines of JSON outside strings without touching numbers", async () => {
    const json = `{"id":12345678901234567890,"s":"a,{\\"b","list":[${"[1,2],".repeat(500)}3]}`;
    const { blocks } = await read(json, "a.json");
    expect(blocks[0]?.text.split("\n").slice(0, 4)).toEqual([
      "{",
      ' "id":12345678901234567890,',
      ' "s":"a,{\\"b",',
      ' "list":[',
    ]);
    expect(blocks[0]?.text.replace(/\n */gu, "")).toBe(json);
  });
});
