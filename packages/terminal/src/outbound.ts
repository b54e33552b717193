import type { Delivery } from "@troupe/core";
import type { Segment } from "./ansi.ts";
import { cleanText, excerpt } from "./clean-text.ts";

/** What of a text may be printed while it grows: no half escape sequence, no character that more text may still change. */
export function visibleText(text: string, isGrowing: boolean): string {
  if (!isGrowing) return cleanText(text);
  const clean = cleanText(text.replace(/[\u001b\u0090-\u009f][^\n]{0,40}$/, "").replace(/[\ud800-\udbff]$/, ""));
  if (/[ -~\n]/.test(clean.slice(-1))) return clean;
  const tail = clean.slice(-64);
  const last = [...new Intl.Segmenter().segment(tail)].at(-1)?.segment ?? "";
  return clean.slice(0, clean.length - last.length);
}

/** What must be done so that a printed text becomes another one. */
export type Growth =
  | { readonly type: "same" }
  | { readonly type: "added"; readonly text: string }
  /** What is printed is wrong: the whole text is printed again. */
  | { readonly type: "corrected" };

/** Compares what is printed with what is to be. White space lost at the end is no correction. */
export function growth(printed: string, next: string): Growth {
  if (next.startsWith(printed)) {
    return next.length === printed.length ? { type: "same" } : { type: "added", text: next.slice(printed.length) };
  }
  return printed.trimEnd() === next.trimEnd() ? { type: "same" } : { type: "corrected" };
}

/** Why a name is printed: its first text, more of it after somebody broke in, or the whole again because it was wrong. */
export type LabelReason = "first" | "going-on" | "corrected";

/** How a block of output begins. */
export function labelOf(name: string, reason: LabelReason): readonly Segment[] {
  const label: Segment = { text: `${name}: `, style: { type: "name", name } };
  switch (reason) {
    case "first":
      return [label];
    case "going-on":
      return [label, { text: "… ", style: { type: "dim" } }];
    case "corrected":
      return [{ text: `${name} (corrected): `, style: { type: "name", name } }];
  }
}

/**
 * The line above an answer to something that was not said in this session; null when the answer belongs to it, or answers
 * nothing in particular.
 */
export function lateHeader(delivery: Delivery, wasHeard: (memoryId: string) => boolean): Segment | null {
  const { inReplyTo } = delivery.content;
  if (inReplyTo === undefined || wasHeard(inReplyTo)) return null;
  const asked = excerpt(delivery.inReplyToText ?? "", 60);
  return {
    text: asked === "" ? "(to an earlier message)\n" : `(to your earlier message “${asked}”)\n`,
    style: { type: "dim" },
  };
}
