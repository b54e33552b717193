import { describe, expect, it } from "vitest";
import { writeZip } from "./format/write-zip.ts";
import { type ReadDocumentInput, readDocument } from "./read-document.ts";
import { docxFiles, docxParagraph, writeDocx, writePackedDocx } from "./testing/write-docx.ts";
import { writePdf, writePdfBomb } from "./testing/write-pdf.ts";

const read = (bytes: Uint8Array | string, name: string, more: Partial<ReadDocumentInput> = {}) =>
  readDocument({ bytes: Buffer.from(bytes as string), name, ...more });

describe("hostile documents", () => {
  it("refuses an archive that would unpack to more than the limit", async () => {
    const bytes = writePackedDocx(5_000_000);
    await expect(read(bytes, "a.docx", { limits: { archiveBytes: 4_000_000 } })).rejects.toMatchObject({
      problem: "bomb",
      message: expect.stringMatching(/^"a\.docx" would unpack to 5 MB and the limit is 4 MB \(archiveBytes\)/u),
    });
    await expect(read(bytes, "a.docx")).rejects.toMatchObject({
      problem: "bomb",
      message: expect.stringMatching(/times \(archiveRatio\)/u),
    });
  });

  it("stops unpacking what is larger than its archive claims", async () => {
    await expect(read(writePackedDocx(5_000_000, 900), "a.docx")).rejects.toMatchObject({ problem: "damaged" });
  });

  it("refuses an archive of too many files", async () => {
    const files = docxFiles(docxParagraph("x"));
    for (let at = 0; at < 100; at++) files.set(`word/media/${at}`, Buffer.from("x"));
    await expect(read(writeZip(files), "a.docx", { limits: { archiveEntries: 99 } })).rejects.toMatchObject({
      problem: "bomb",
      message:
        '"a.docx" is an archive of 107 files and the limit is 99 (archiveEntries): save it again, or raise the limit',
    });
  });

  it("refuses a damaged archive, and a Word document without its text", async () => {
    const bytes = writeDocx(docxParagraph("x"));
    await expect(read(bytes.subarray(0, bytes.length - 30), "a.docx")).rejects.toMatchObject({ problem: "damaged" });
    const files = docxFiles("");
    files.delete("word/document.xml");
    await expect(read(writeZip(files), "a.docx")).rejects.toMatchObject({ problem: "damaged" });
  });

  it("ends reading a PDF whose page unpacks without end, and lives on", async () => {
    await expect(read(writePdfBomb(1_000), "bomb.pdf", { limits: { memoryBytes: 150_000_000 } })).rejects.toMatchObject(
      {
        problem: "memory",
        message: expect.stringMatching(/^"bomb\.pdf" needs more than 150 MB of memory to be read \(memoryBytes\)/u),
      },
    );
  });

  it("ends reading what takes too long, and what is called off", async () => {
    const bytes = writePdf([[{ text: "x" }]]);
    await expect(read(bytes, "a.pdf", { limits: { timeMs: 1 } })).rejects.toMatchObject({
      problem: "timeout",
      code: "timeout",
      message: expect.stringMatching(/^"a\.pdf" was not read within 0\.001 s \(timeMs\)/u),
    });
    const controller = new AbortController();
    const reading = read(bytes, "a.pdf", { signal: controller.signal });
    controller.abort();
    await expect(reading).rejects.toMatchObject({ problem: "aborted", code: "aborted" });
  });

  it("reads HTML of ten thousand levels and refuses more", async () => {
    const nested = (levels: number) => `${"<div>".repeat(levels)}deep${"</div>".repeat(levels)}`;
    expect((await read(nested(10_000), "a.html")).blocks).toMatchObject([{ text: "deep" }]);
    await expect(read(nested(10_001), "a.html")).rejects.toMatchObject({
      problem: "too-deep",
      message: expect.stringMatching(/10000 levels \(nestingLevels\)/u),
    });
  });

  it("survives XML that nests deeper than a stack", async () => {
    const body = `${"<w:sdt><w:sdtContent>".repeat(20_000)}${docxParagraph("x")}${"</w:sdtContent></w:sdt>".repeat(20_000)}`;
    await expect(read(writeDocx(body), "a.docx")).rejects.toMatchObject({ name: "DocumentError" });
  });

  it("reads lists and quotes within each other without copying their indentation endlessly", async () => {
    const { blocks } = await read(`${"<ul><li>".repeat(3_000)}deep`, "a.html");
    expect(blocks[0]?.text.length).toBeLessThan(100);
  });
});
