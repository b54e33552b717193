import type { Block, BlockKind } from "./document.ts";
import { DocumentError, formatBytes } from "./errors.ts";
import type { ReadLimits } from "./limits.ts";

/** What a format's reader is given. `label` is how messages call the document. */
export type ReaderInput = {
  readonly bytes: Uint8Array;
  readonly label: string;
  readonly limits: ReadLimits;
  /** As the transport declared it. */
  readonly charset?: string;
  /** Of source code. */
  readonly language?: string;
};

/** What a format's reader gives back. */
export type ReaderResult = {
  readonly title?: string;
  readonly encoding?: string;
  readonly blocks: readonly Block[];
  readonly warnings: readonly string[];
};

type Extra = Omit<Partial<Block>, "kind" | "text" | "headings" | "level">;

/** Collects blocks in reading order, keeps the heading path and the limit of text. */
export type BlockList = {
  readonly blocks: readonly Block[];
  /** Starts a section: headings of the same or a deeper level end. Nothing happens without text. */
  heading(level: number, text: string, place?: Extra): void;
  /** Adds what stands under the headings so far. Nothing happens without text. */
  add(kind: Exclude<BlockKind, "heading">, text: string, extra?: Extra): void;
};

/** @throws DocumentError `too-much-text` from `heading` and `add` when the limit is passed */
export function createBlockList(limits: ReadLimits, label: string): BlockList {
  const blocks: Block[] = [];
  const open: { readonly level: number; readonly title: string }[] = [];
  let headings: readonly string[] = [];
  let textBytes = 0;

  function push(block: Block): void {
    textBytes += Buffer.byteLength(block.text);
    if (textBytes > limits.textBytes) throw tooMuchText(limits, label);
    blocks.push(block);
  }

  return {
    blocks,
    heading(level, raw, place = {}) {
      const title = raw.replace(/\s+/gu, " ").trim();
      if (title === "") return;
      while ((open.at(-1)?.level ?? 0) >= level) open.pop();
      open.push({ level, title });
      headings = open.map((each) => each.title);
      push({ kind: "heading", text: title, level, headings, ...place });
    },
    add(kind, raw, extra = {}) {
      const text = raw.trimEnd().replace(/^(?:[^\S\n]*\n)+/u, "");
      if (text.trim() !== "") push({ kind, text, headings, ...extra });
    },
  };
}

function tooMuchText(limits: ReadLimits, label: string): DocumentError {
  return new DocumentError(
    "too-much-text",
    `${label} contains more than ${formatBytes(limits.textBytes)} of text (textBytes): split it, or raise the limit`,
  );
}
