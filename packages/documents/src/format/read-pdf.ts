import { createBlockList, type ReaderInput, type ReaderResult } from "../blocks.ts";
import { encrypted } from "../detect/detect-format.ts";
import { DocumentError } from "../errors.ts";
import { bodyHeight, headingHeights, isHeading, type PdfItem, type PdfParagraph, toParagraphs } from "./pdf-text.ts";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;
type Page = { readonly page: number; readonly paragraphs: readonly PdfParagraph[] };

/**
 * Reads a PDF page by page; headings are known by their size. To be run where it can be ended.
 * @throws DocumentError `encrypted`, `damaged`, `too-many-pages`, `no-text`, `too-much-text`
 */
export async function readPdf(input: ReaderInput): Promise<ReaderResult> {
  const document = await openPdf(input);
  try {
    const { limits, label } = input;
    if (document.numPages > limits.pages) {
      throw new DocumentError(
        "too-many-pages",
        `${label} has ${document.numPages} pages and the limit is ${limits.pages} (pages): split it, or raise the limit`,
      );
    }
    const { pages, unreadable } = await readPages(document, input);
    const list = createBlockList(limits, label);
    addPages(list, pages);
    if (list.blocks.length === 0) throw withoutText(label, unreadable.length === document.numPages);
    const first = list.blocks.find((block) => block.kind === "heading" && block.level === 1)?.text;
    const title = (await titleOf(document)) ?? first;
    return {
      ...(title === undefined ? {} : { title }),
      blocks: list.blocks,
      warnings: pageWarnings(pages, unreadable),
    };
  } finally {
    await document.loadingTask.destroy();
  }
}

async function openPdf({ bytes, label }: ReaderInput): Promise<PdfDocument> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    // The library keeps what it is given; a copy leaves the caller's bytes alone.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
    });
  } catch (cause) {
    if (cause instanceof Error && cause.name === "PasswordException") throw encrypted(label, "a PDF");
    throw damagedPdf(label, cause);
  }
}

/** Reads all pages; a single damaged one is left out and named. @throws DocumentError `too-much-text` */
async function readPages(document: PdfDocument, { limits, label }: ReaderInput) {
  const pages: Page[] = [];
  const unreadable: number[] = [];
  const counter = createBlockList(limits, label);
  for (let number = 1; number <= document.numPages; number++) {
    try {
      const page = await document.getPage(number);
      const content = await page.getTextContent();
      const items = content.items.filter((item): item is typeof item & PdfItem => "str" in item);
      pages.push({ page: number, paragraphs: toParagraphs(items) });
      page.cleanup();
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause;
      unreadable.push(number);
    }
    // The limit of text ends reading early, not only after the last page.
    for (const { text } of pages.at(-1)?.page === number ? (pages.at(-1)?.paragraphs ?? []) : [])
      counter.add("paragraph", text);
  }
  return { pages, unreadable };
}

function addPages(list: ReturnType<typeof createBlockList>, pages: readonly Page[]): void {
  const all = pages.flatMap(({ paragraphs }) => paragraphs);
  const body = bodyHeight(all);
  const heights = headingHeights(all, body);
  for (const { page, paragraphs } of pages) {
    for (const paragraph of paragraphs) {
      const level = heights.indexOf(Math.round(paragraph.height * 2) / 2) + 1;
      if (level > 0 && isHeading(paragraph, body)) list.heading(Math.min(level, 6), paragraph.text, { page });
      else list.add("paragraph", paragraph.text, { page });
    }
  }
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  const { info } = await document.getMetadata();
  const title: unknown = "Title" in info ? info.Title : undefined;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
}

function pageWarnings(pages: readonly Page[], unreadable: readonly number[]): readonly string[] {
  const empty = pages.filter(({ paragraphs }) => paragraphs.length === 0).map(({ page }) => page);
  return [
    ...(empty.length === 0
      ? []
      : [
          `${pageList(empty)} without text that can be read, perhaps images: run text recognition (OCR) on it to have it`,
        ]),
    ...(unreadable.length === 0 ? [] : [`${pageList(unreadable)} damaged and left out`]),
  ];
}

function pageList(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(", ");
  return `${numbers.length === 1 ? "page" : "pages"} ${shown}${numbers.length > 10 ? ` and ${numbers.length - 10} more` : ""}`;
}

function withoutText(label: string, isDamaged: boolean): DocumentError {
  if (isDamaged) return damagedPdf(label);
  return new DocumentError(
    "no-text",
    `${label} is a PDF without text that can be read, only images or fonts that do not tell their letters: run text recognition (OCR) on it and add the result`,
  );
}

function damagedPdf(label: string, cause?: unknown): DocumentError {
  return new DocumentError(
    "damaged",
    `${label} is a damaged PDF: open it and save it again`,
    cause === undefined ? {} : { cause },
  );
}
