import type { FinishReason, ModelEvent } from "@troupe/core";
import { readToolInput } from "@troupe/core/format/tools";
import type { VendorPart } from "./vendor.ts";

/** A whole tool call. */
export type ToolCallEvent = Extract<ModelEvent, { type: "tool-call" }>;

/** Finds the tool calls in a vendor's stream. */
export type CallReader = {
  /** Takes the next part, whatever it is; returns the calls that are whole now. */
  push(part: VendorPart): readonly ToolCallEvent[];
  /** The model went on to something else: a call that was kept back is as it is. */
  release(): readonly ToolCallEvent[];
  /** The answer is over: when it was cut, a call that was kept back is half a call and dropped. */
  end(reason: FinishReason): readonly ToolCallEvent[];
};

/**
 * A reader for one answer. Vendors end a call that the token limit cut as they end any other, some with empty arguments;
 * so a call without readable arguments is kept back until what follows says whether it is garbled, empty or cut.
 */
export function createCallReader(): CallReader {
  const withArguments = new Set<string>();
  let kept: ToolCallEvent | null = null;
  const release = (): readonly ToolCallEvent[] => {
    const released = kept === null ? [] : [kept];
    kept = null;
    return released;
  };
  return {
    push(part) {
      if (part.type === "tool-input-start") return release();
      if (part.type === "tool-input-delta" && part.delta.trim() !== "") withArguments.add(part.id);
      if (part.type !== "tool-call") return [];
      const { toolCallId: id, toolName: name, input: raw } = part;
      const before = release();
      const call: ToolCallEvent = { type: "tool-call", id, name, input: readToolInput(raw), raw };
      const isEmpty = call.input !== null && Object.keys(call.input).length === 0 && !withArguments.has(id);
      if (call.input !== null && !isEmpty) return [...before, call];
      kept = call;
      return before;
    },
    release,
    end(reason) {
      if (reason === "length" || reason === "filter" || reason === "error") kept = null;
      return release();
    },
  };
}
