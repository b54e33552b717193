import type { Delivery } from "@troupe/core";
import type { Segment } from "./ansi.ts";
import { growth, type LabelReason, labelOf, lateHeader, visibleText } from "./outbound.ts";
import type { PrintStart, Sink } from "./sink.ts";

/** Prints what characters say, as it grows, without mixing two of them up. */
export type Printer = {
  /** Shows a delivery's text as it is now. `isGrowing`: more is to come. Rejects as {@link Sink.print} does. */
  show(delivery: Delivery, name: string, isGrowing: boolean): Promise<void>;
  /** Takes back what was shown of a delivery, if that can be done safely; says whether it was. */
  remove(key: string): Promise<boolean>;
  /** Prints lines that are not a character's. */
  say(segments: readonly Segment[]): Promise<void>;
};

/** What the printer needs to know. */
export type PrinterOptions = {
  readonly sink: Sink;
  /** Whether names stand before what is said; asked each time. */
  readonly isLabelled: () => boolean;
  /** Whether a message was heard in this session. */
  readonly wasHeard: (memoryId: string) => boolean;
};

/** A delivery on its way to the reader. `printed` is what stands there; `isBegun` once its label does. */
type Block = { delivery: Delivery; readonly name: string; printed: string; isBegun: boolean; isEnded: boolean };

/** So many finished blocks are remembered, to know them again when they are sent once more. */
const rememberedBlocks = 100;

/** What to print for a block, and where it begins. */
type Print = { readonly segments: readonly Segment[]; readonly start: PrintStart };

const nothing: Print = { segments: [], start: "here" };

/**
 * One growing block has the floor: `current`. Another one that is complete breaks into its line at once, and the broken one
 * goes on below; another one that grows waits until the floor is free, unless the same character has begun something new.
 */
export function createPrinter({ sink, isLabelled, wasHeard }: PrinterOptions): Printer {
  const blocks = new Map<string, Block>();
  const waiting = new Set<string>();
  let current: string | null = null;
  /** Whether the last line is the current block's and still goes on. */
  let isLineOpen = false;
  /** The block that alone was printed since the sink's mark, so that it can be erased. */
  let marked: string | null = null;

  const label = (name: string, reason: LabelReason): readonly Segment[] => {
    if (isLabelled()) return labelOf(name, reason);
    return reason === "corrected" ? [{ text: "(corrected) ", style: { type: "dim" } }] : [];
  };

  /** What brings a block up to date; changes it on the way. */
  const compose = (block: Block, isGrowing: boolean): Print => {
    const { delivery, name } = block;
    const next = visibleText(delivery.content.text, isGrowing);
    const { printed } = block;
    const change = growth(printed, next);
    if (next.trim() === "" || change.type === "same" || (isGrowing && printed.startsWith(next))) return nothing;
    block.printed = next;
    if (!block.isBegun) {
      block.isBegun = true;
      const header = lateHeader(delivery, wasHeard);
      return { segments: [...(header ? [header] : []), ...label(name, "first"), plain(next)], start: "mark" };
    }
    if (change.type === "corrected" || block.isEnded) {
      return { segments: [...label(name, "corrected"), plain(next)], start: "fresh-line" };
    }
    if (current === delivery.key && isLineOpen) return { segments: [plain(change.text)], start: "here" };
    return { segments: [...label(name, "going-on"), plain(change.text.trimStart())], start: "fresh-line" };
  };

  /** Notes that a block is about to be printed; returns the line end it needs. */
  const turnTo = (block: Block, { segments, start }: Print, isGrowing: boolean): readonly Segment[] => {
    const { key } = block.delivery;
    const isPrinting = segments.length > 0;
    const isOnLine = isPrinting || (current === key && isLineOpen);
    if (isPrinting) marked = start === "mark" || marked === key ? key : null;
    if (isOnLine) isLineOpen = isGrowing;
    if (isGrowing && isPrinting) current = key;
    if (!isGrowing && current === key) current = null;
    waiting.delete(key);
    block.isEnded ||= !isGrowing;
    return isOnLine && !isGrowing ? [plain("\n")] : [];
  };

  /** Whether another character is in the middle of saying something. */
  const isFloorTaken = (block: Block): boolean => {
    const speaker = current === null ? undefined : blocks.get(current);
    return speaker !== undefined && speaker !== block && speaker.name !== block.name;
  };

  const show = async (block: Block, isGrowing: boolean): Promise<void> => {
    const { key } = block.delivery;
    if (isGrowing && isFloorTaken(block)) {
      waiting.add(key);
      return;
    }
    const change = compose(block, isGrowing);
    const segments = [...change.segments, ...turnTo(block, change, isGrowing)];
    try {
      if (segments.length > 0) await sink.print(segments, change.start);
    } catch (error) {
      blocks.delete(key);
      if (current === key) current = null;
      throw error;
    }
    if (current === null) await showWaiting();
  };

  const showWaiting = async (): Promise<void> => {
    for (const key of waiting) {
      waiting.delete(key);
      const block = blocks.get(key);
      if (block) return show(block, true);
    }
  };

  return {
    show(delivery, name, isGrowing) {
      const block = blocks.get(delivery.key) ?? { delivery, name, printed: "", isBegun: false, isEnded: false };
      block.delivery = delivery;
      blocks.set(delivery.key, block);
      forgetOldest(blocks);
      return show(block, isGrowing);
    },
    async remove(key) {
      const block = blocks.get(key);
      const isGone = block?.isBegun !== true || (marked === key && (await sink.eraseToMark()));
      const wasOpen = current === key && isLineOpen;
      if (current === key) current = null;
      if (wasOpen) isLineOpen = false;
      if (isGone) {
        blocks.delete(key);
        waiting.delete(key);
      } else if (wasOpen) await sink.print([], "fresh-line");
      if (current === null) await showWaiting();
      return isGone;
    },
    say(segments) {
      isLineOpen = false;
      marked = null;
      return sink.print([...segments, plain("\n")], "fresh-line");
    },
  };
}

function plain(text: string): Segment {
  return { text, style: { type: "plain" } };
}

function forgetOldest(blocks: Map<string, Block>): void {
  if (blocks.size <= rememberedBlocks) return;
  for (const [key, block] of blocks) {
    if (!block.isEnded) continue;
    blocks.delete(key);
    return;
  }
}
