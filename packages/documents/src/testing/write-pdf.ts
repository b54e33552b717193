import { constants, deflateRawSync } from "node:zlib";

/** A line of text on a page: its size in points and its distance to the line before. */
export type PdfLine = { readonly text: string; readonly size?: number; readonly gap?: number };

/** A PDF with these pages, in Helvetica. An empty page stands for one that is an image. @see ISO 32000-1 */
export function writePdf(pages: readonly (readonly PdfLine[])[], trailer = ""): Uint8Array {
  const contents = pages.map((lines) => {
    const shown = lines.map(({ text, size = 12, gap = 14 }) => `/F1 ${size} Tf 0 -${gap} Td (${text}) Tj`);
    return stream(`BT 72 760 Td ${shown.join("\n")} ET`);
  });
  return pdfOf(contents, trailer);
}

/** A small PDF whose only page unpacks to that many megabytes. */
export function writePdfBomb(megabytes: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: megabytes }, () => block)]);
  return pdfOf([stream(packed.toString("latin1"), "/Filter/FlateDecode")], "");
}

function stream(content: string, entries = ""): string {
  return `<</Length ${content.length}${entries}>>stream\n${content}\nendstream`;
}

function pdfOf(contents: readonly string[], trailer: string): Uint8Array {
  const first = 4;
  const kids = contents.map((_, at) => `${first + 2 * at} 0 R`).join(" ");
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ...contents.flatMap((content, at) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${first + 2 * at + 1} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      content,
    ]),
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  const end = `trailer\n<</Root 1 0 R/Size ${size}${trailer}>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + end, "latin1");
}
