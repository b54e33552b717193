import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DocumentProblem } from "./errors.ts";
import { writeZip } from "./format/write-zip.ts";
import { type ReadDocumentInput, readDocument, readDocumentFile } from "./read-document.ts";
import { docxParagraph, writeDocx } from "./testing/write-docx.ts";
import { writePdf } from "./testing/write-pdf.ts";

type Known = Omit<ReadDocumentInput, "bytes">;

const read = (bytes: Uint8Array | string, known: Known = {}) =>
  readDocument({ bytes: Buffer.from(bytes as string), ...known });

async function expectProblem(promise: Promise<unknown>, problem: DocumentProblem, message: RegExp): Promise<void> {
  await expect(promise).rejects.toMatchObject({
    name: "DocumentError",
    problem,
    message: expect.stringMatching(message),
  });
}

const zipOf = (...names: readonly string[]) => writeZip(new Map(names.map((name) => [name, Buffer.from("x")])));

describe("readDocument", () => {
  it.each<[string, string, Known, string, string]>([
    ["text without a name", "hello", {}, "text", "text/plain"],
    ["Markdown by extension", "# Hi", { name: "notes/READ.MD" }, "markdown", "text/markdown"],
    [
      "Markdown by extension although served as plain text",
      "# Hi",
      { name: "a.md", mediaType: "text/plain; charset=utf-8" },
      "markdown",
      "text/markdown",
    ],
    [
      "a media type before an extension",
      "<p>hi",
      { name: "page.php", mediaType: "text/html; charset=utf-8" },
      "html",
      "text/html",
    ],
    ["HTML by its first words", "\n<!-- x --><!DOCTYPE html><p>hi", {}, "html", "text/html"],
    ["a web page under a PDF's name", "<!doctype html><p>sign in", { name: "paper.pdf" }, "html", "text/html"],
    ["source that begins like HTML", "<html><p>hi", { name: "page.vue" }, "source", "text/plain"],
    ["a name without an extension", "all: build", { name: "Makefile" }, "source", "text/plain"],
    ["JSON of a vendor's type", "{}", { mediaType: "application/ld+json" }, "json", "application/ld+json"],
    ["YAML", "a: 1", { name: "a.yml" }, "yaml", "application/yaml"],
    ["TSV", "a\tb", { name: "a.tsv" }, "tsv", "text/tab-separated-values"],
  ])("knows %s", async (_what, text, known, ...expected) => {
    const { format, mediaType } = await read(text, known);
    expect([format, mediaType]).toEqual(expected);
  });

  it("knows PDF and DOCX by their bytes, whatever they are called", async () => {
    const docx = await read(writeDocx(docxParagraph("hello")), { name: "a.txt", mediaType: "text/plain" });
    const pdf = await read(writePdf([[{ text: "hello" }]]), { name: "a.docx" });
    expect([docx.format, pdf.format]).toEqual(["docx", "pdf"]);
  });

  it.each<[string, Uint8Array | string, Known, RegExp]>([
    [
      "images",
      Buffer.from("\x89PNG\r\n\x1a\n....", "latin1"),
      { name: "cat.txt" },
      /"cat\.txt" is a PNG image.*image model.*PDF.*can be read/u,
    ],
    ["recordings", "OggS....", {}, /the document is an Ogg recording.*transcribe/u],
    ["archives", zipOf("a.txt"), { name: "a.zip" }, /a zip archive; unpack it/u],
    [
      "workbooks",
      zipOf("[Content_Types].xml", "xl/workbook.xml"),
      { name: "a.xlsx" },
      /an Excel workbook; save its sheets as CSV/u,
    ],
    [
      "presentations",
      zipOf("[Content_Types].xml", "ppt/presentation.xml"),
      { name: "a.pptx" },
      /a PowerPoint presentation/u,
    ],
    [
      "old Word documents",
      Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("WordDocument", "utf16le")]),
      { name: "a.doc" },
      /old Word document \(\.doc\); save it as DOCX or PDF/u,
    ],
    ["RTF", "{\\rtf1 hello}", { name: "a.rtf" }, /an RTF document/u],
    ["names of such kinds", "what is this", { name: "a.doc" }, /old Word document/u],
    ["types without text", "what is this", { mediaType: "video/x-unknown" }, /of the type video\/x-unknown/u],
    [
      "binary data",
      Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7) % 256)),
      { name: "a.txt" },
      /"a\.txt" is binary data/u,
    ],
  ])("refuses %s and says what can be read", async (_what, bytes, known, message) => {
    await expectProblem(read(bytes, known), "unsupported", message);
  });

  it("refuses a locked Office document", async () => {
    const bytes = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")]);
    await expectProblem(
      read(bytes, { name: "plan.docx" }),
      "encrypted",
      /"plan\.docx" is an Office document locked with a password: save it without/u,
    );
  });

  it.each(["", " \n\t ", "\u{feff}", "\0\0"])("refuses a document without text (%j)", async (text) => {
    await expectProblem(read(text, { name: "a.md" }), "empty", /"a\.md" holds no text: add a document with content/u);
  });

  it("refuses an HTML page and a CSV without text", async () => {
    await expectProblem(read("<!doctype html><script>x()</script>"), "empty", /holds no text/u);
    await expectProblem(read(",,\n,,\n", { name: "a.csv" }), "empty", /holds no text/u);
  });

  it("refuses what is larger than the limit, and names it", async () => {
    await expectProblem(
      read("x".repeat(101), { name: "a.txt", limits: { sizeBytes: 100 } }),
      "too-large",
      /"a\.txt" is 101 bytes long and the limit is 100 bytes \(sizeBytes\): split it/u,
    );
    await expectProblem(
      read("é".repeat(51), { name: "a.txt", limits: { textBytes: 100 } }),
      "too-much-text",
      /more than 100 bytes of text \(textBytes\)/u,
    );
  });

  it("refuses a document whose size is only a claim before looking at it", async () => {
    const claimed = Object.defineProperty(new Uint8Array(4), "length", { value: 1_000_000_000 });
    await expectProblem(
      readDocument({ bytes: claimed, name: "a.txt" }),
      "too-large",
      /"a\.txt" is 1 GB long and the limit is 20 MB/u,
    );
  });

  it("keeps names from breaking messages", async () => {
    await expectProblem(read("", { name: "a\n\u{202e}b.txt" }), "empty", /^"a b\.txt" holds/u);
  });

  it("is called off by a signal", async () => {
    await expectProblem(
      read("x", { name: "a.txt", signal: AbortSignal.abort() }),
      "aborted",
      /reading "a\.txt" was called off/u,
    );
  });

  it("reads a large text in a thread of its own with the same result", async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `Line ${at}.\n\n`).join("");
    const { blocks } = await read(text, { name: "a.txt" });
    expect(blocks).toHaveLength(20_000);
    expect(blocks[19_999]).toEqual({
      kind: "paragraph",
      text: "Line 19999.",
      headings: [],
      lines: { from: 39_999, to: 39_999 },
    });
  });
});

describe("readDocumentFile", () => {
  it("reads a file and refuses a claim of a gigabyte without reading it", async () => {
    const directory = await mkdtemp(join(tmpdir(), "documents-"));
    try {
      await writeFile(join(directory, "a.md"), "# Hello");
      expect(await readDocumentFile(join(directory, "a.md"))).toMatchObject({ format: "markdown", title: "Hello" });
      const huge = await open(join(directory, "huge.txt"), "w");
      await huge.truncate(1_000_000_000);
      await huge.close();
      await expectProblem(
        readDocumentFile(join(directory, "huge.txt")),
        "too-large",
        /huge\.txt" is 1 GB long and the limit is 20 MB/u,
      );
      await expectProblem(readDocumentFile(directory), "not-found", /is not a file/u);
      await expectProblem(
        readDocumentFile(join(directory, "none.txt"), { name: "none.txt" }),
        "not-found",
        /"none\.txt" does not exist/u,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
