import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { DocumentError } from "../errors.ts";
import { addHtml } from "./read-html.ts";
import { type UnzippedFiles, unzip } from "./unzip.ts";
import { writeZip } from "./write-zip.ts";

const textParts = /^(?:\[Content_Types\]\.xml|_rels\/.*|word\/.*\.(?:xml|rels)|docProps\/core\.xml)$/u;

const styles = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Code'] => pre:separator('\n')",
  "p[style-name='HTML Preformatted'] => pre:separator('\n')",
];

/**
 * Reads a Word document: headings, paragraphs, lists, tables, links, notes. Its archive is checked and packed anew from the parts
 * with text, so that the library which reads it sees nothing else. To be run where it can be ended.
 * @throws DocumentError `bomb`, `encrypted`, `damaged`, `too-much-text`
 */
export async function readDocx(input: ReaderInput): Promise<ReaderResult> {
  const { limits, label } = input;
  const files = await unzip(input.bytes, { limits, label, wants: (name) => textParts.test(name) });
  const html = await toHtml(files, label);
  const list = createBlockList(limits, label);
  const first = await addHtml(html, list, { limits, label, assumesHeader: true });
  const title = (await declaredTitle(files)) ?? first;
  return { ...(title === undefined ? {} : { title }), blocks: list.blocks, warnings: [] };
}

async function toHtml(files: UnzippedFiles, label: string): Promise<string> {
  const { default: mammoth } = await import("mammoth");
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: writeZip(files) },
      {
        styleMap: styles,
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
      },
    );
    return value;
  } catch (cause) {
    throw new DocumentError("damaged", `${label} is a damaged Word document: open it and save it again`, { cause });
  }
}

async function declaredTitle(files: UnzippedFiles): Promise<string | undefined> {
  const core = files.get("docProps/core.xml");
  if (core === undefined) return undefined;
  const { Parser } = await import("htmlparser2");
  let isTitle = false;
  let title = "";
  const parser = new Parser(
    {
      onopentag: (name) => {
        isTitle = name === "dc:title";
      },
      ontext: (text) => {
        if (isTitle) title += text;
      },
      onclosetag: () => {
        isTitle = false;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(new TextDecoder().decode(core));
  return title.trim() === "" ? undefined : title.trim();
}
