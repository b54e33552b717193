import type { FinishReason, Usage } from "@troupe/core";
import type { BilledTokens } from "./prices.ts";
import { createStopCutter } from "./stop.ts";
import { createCallReader, type ToolCallEvent } from "./tool-calls.ts";
import type { VendorModel, VendorPart, VendorRequest } from "./vendor.ts";
import type { Watchdog } from "./watchdog.ts";

/** What one call of a vendor's model gives: pieces and whole tool calls, then exactly one end. */
export type AttemptEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thought"; readonly text: string }
  | ToolCallEvent
  | { readonly type: "end"; readonly reason: FinishReason; readonly tokens: BilledTokens };

/** One call of a vendor's model. */
export type Attempt = {
  readonly vendor: VendorModel;
  readonly request: VendorRequest;
  readonly watchdog: Watchdog;
  /** Stop words the vendor does not know and we have to mind. */
  readonly stop: readonly string[];
};

/**
 * Makes the call. It is cancelled when it is called off and when nobody reads on.
 * @throws whatever the vendor's library throws or sends; the watchdog's ModelError when the attempt was called off.
 */
export function runAttempt(attempt: Attempt): AsyncIterable<AttemptEvent> {
  return attempt.stop.length === 0 ? readStream(attempt) : cutAtStops(readStream(attempt), attempt.stop);
}

async function* readStream({ vendor, request, watchdog }: Attempt): AsyncGenerator<AttemptEvent> {
  const { stream } = await watchdog.race(Promise.resolve(vendor.doStream(request)));
  const reader = stream.getReader();
  const calls = createCallReader();
  try {
    for (;;) {
      const { done, value } = await watchdog.race(reader.read());
      if (done) throw new Error("the stream ended without an end");
      if (!readsAsWaiting(value)) watchdog.begin();
      watchdog.alive();
      const event = toEvent(value);
      if (event?.type === "end") yield* calls.end(event.reason);
      else yield* event === undefined ? calls.push(value) : calls.release();
      if (event !== undefined) yield event;
      if (event?.type === "end") return;
    }
  } finally {
    // Cancelling a stream that already failed rejects with the failure that is on its way to the caller.
    reader.cancel().catch(() => undefined);
  }
}

async function* cutAtStops(events: AsyncIterable<AttemptEvent>, stop: readonly string[]): AsyncGenerator<AttemptEvent> {
  const cutter = createStopCutter(stop);
  for await (const event of events) {
    if (event.type === "thought") {
      yield event;
      continue;
    }
    const text = event.type === "text" ? cutter.push(event.text) : cutter.end();
    if (text !== "") yield { type: "text", text };
    // Behind a stop word nothing is part of the answer any more.
    if (event.type === "tool-call" && !cutter.hasStopped) yield event;
    if (event.type === "end") yield cutter.hasStopped ? { ...event, reason: "stop" } : event;
  }
}

/** Parts that come before the model itself has done anything. */
function readsAsWaiting(part: VendorPart): boolean {
  return (
    part.type === "stream-start" || part.type === "response-metadata" || part.type === "ping" || part.type === "raw"
  );
}

function toEvent(part: VendorPart): AttemptEvent | undefined {
  switch (part.type) {
    case "text-delta":
      return part.delta === "" ? undefined : { type: "text", text: part.delta };
    case "reasoning-delta":
      return part.delta === "" ? undefined : { type: "thought", text: part.delta };
    case "error":
      throw part.error;
    case "finish":
      return toEnd(part);
    default:
      // Tool calls are read beside this; starts and ends of blocks, sources, files: nothing a text model's caller asked for.
      return undefined;
  }
}

function toEnd({ finishReason, usage }: Extract<VendorPart, { type: "finish" }>): AttemptEvent {
  if (finishReason.unified === "interrupted" || (finishReason.unified === "error" && finishReason.raw === undefined)) {
    throw new Error("the stream ended before the answer did");
  }
  const { total, noCache, cacheRead, cacheWrite } = usage.inputTokens;
  const cachedTokens = cacheRead ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const inputTokens = noCache ?? Math.max(0, (total ?? 0) - cachedTokens - cacheWriteTokens);
  const tokens = { inputTokens, cachedTokens, cacheWriteTokens, outputTokens: usage.outputTokens.total ?? 0 };
  return { type: "end", reason: toFinishReason(finishReason.unified), tokens };
}

function toFinishReason(
  unified: Exclude<Extract<VendorPart, { type: "finish" }>["finishReason"]["unified"], "interrupted">,
): FinishReason {
  return unified === "content-filter" ? "filter" : unified;
}

/** Billed tokens as the rest of the house counts them: cached ones are part of the input. */
export function toUsage({ inputTokens, cachedTokens, cacheWriteTokens, outputTokens }: BilledTokens): Usage {
  return { inputTokens: inputTokens + cachedTokens + cacheWriteTokens, cachedInputTokens: cachedTokens, outputTokens };
}
