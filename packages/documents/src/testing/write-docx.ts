import { deflateRawSync } from "node:zlib";
import { writeZip } from "../format/write-zip.ts";

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const relationships = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
const styles = `<?xml version="1.0"?><w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>`;
const documentRelationships = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="n1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>`;
const numbering = `<?xml version="1.0"?><w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;

/** The files of a Word document with that body, in WordprocessingML. */
export function docxFiles(body: string, title = ""): Map<string, Uint8Array> {
  const text = (content: string): Uint8Array => Buffer.from(content, "utf8");
  return new Map([
    ["[Content_Types].xml", text(types)],
    ["_rels/.rels", text(relationships)],
    ["word/_rels/document.xml.rels", text(documentRelationships)],
    ["word/styles.xml", text(styles)],
    ["word/numbering.xml", text(numbering)],
    [
      "word/document.xml",
      text(
        `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
      ),
    ],
    [
      "docProps/core.xml",
      text(
        `<?xml version="1.0"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
      ),
    ],
  ]);
}

/** A Word document with that body. */
export function writeDocx(body: string, title = ""): Uint8Array {
  return writeZip(docxFiles(body, title));
}

/** A paragraph of text, with a style (`H1`, `H2`) or as a list's item. */
export function docxParagraph(text: string, style?: "H1" | "H2" | "item"): string {
  const item = `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`;
  const properties =
    style === undefined ? "" : `<w:pPr>${style === "item" ? item : `<w:pStyle w:val="${style}"/>`}</w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A table of text. */
export function docxTable(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join("");
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join("")}</w:tbl>`;
}

/**
 * An archive of one packed file that claims a size of its own, beside the files of a Word document: `claimed` is what the directory says,
 * `actual` what it unpacks to.
 */
export function writePackedDocx(actual: number, claimed = actual): Uint8Array {
  const files = docxFiles(docxParagraph("small"));
  files.delete("word/document.xml");
  const packed = deflateRawSync(Buffer.alloc(actual, "a"));
  files.set("word/document.xml", packed);
  const zip = writeZip(files);
  const name = Buffer.from("word/document.xml", "latin1");
  // The method (deflate) and the size, in the local header and in the directory.
  for (let at = zip.indexOf(name); at >= 0; at = zip.indexOf(name, at + 1)) {
    const isLocal = zip.subarray(at - 30, at - 26).equals(Buffer.from("PK\x03\x04", "latin1"));
    const isCentral = zip.subarray(at - 46, at - 42).equals(Buffer.from("PK\x01\x02", "latin1"));
    if (!isLocal && !isCentral) continue;
    const common = isLocal ? at - 26 : at - 40;
    zip.writeUInt16LE(8, common + 4);
    zip.writeUInt32LE(claimed, common + 18);
  }
  return zip;
}
