import type { Client, Edits } from "../client/client.ts";
import { type Clock, noLongerNeeded } from "../clock.ts";
import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Delivery } from "./delivery.ts";

/** What showing a text while it grows needs. */
export type StreamParts = {
  readonly client: Client;
  readonly edits: Edits;
  readonly clock: Clock;
  readonly log: Log;
  /** Commits the opened row before the first byte leaves. */
  readonly open: () => Promise<void>;
  /** Commits the platform's id before the first edit. */
  readonly opened: (platformId: string) => Promise<void>;
  readonly signal: AbortSignal;
};

/** How far a streamed output got when the answer was complete. */
export type StreamEnd =
  /** Nothing left: the final text is sent as if nothing had been streamed. */
  | { readonly type: "unsent" }
  /** It stands on the platform under this id and wants its final edit. */
  | { readonly type: "shown"; readonly platformId: string }
  /** The first send broke off: settle it like any unknown outcome. */
  | { readonly type: "unknown" };

/** A message that grows while the model speaks. */
export type StreamedOutput = {
  /** More text; never waits. */
  push(delta: string): void;
  /** No more text comes; resolves once nothing is under way. Whether a row was opened tells `isOpened`. */
  finish(): Promise<StreamEnd>;
  isOpened(): boolean;
};

/**
 * Opens one message at the first text and edits it as the text grows, never more often than the client allows and never
 * beyond its length limit; what cannot keep up is left to the final edit. Failures here cost only the liveness.
 */
export function createStreamedOutput(delivery: Delivery, parts: StreamParts): StreamedOutput {
  return new GrowingMessage(delivery, parts);
}

/** States: nothing shown → opened (row committed) → shown (the platform has it) → finished. */
class GrowingMessage implements StreamedOutput {
  readonly #delivery: Delivery;
  readonly #parts: StreamParts;
  readonly #stopped = new AbortController();
  #text = "";
  #shown = "";
  #shownAt = 0;
  #isOpened = false;
  #end: StreamEnd = { type: "unsent" };
  #pump: Promise<void> | undefined;

  constructor(delivery: Delivery, parts: StreamParts) {
    this.#delivery = delivery;
    this.#parts = parts;
  }

  isOpened(): boolean {
    return this.#isOpened;
  }

  push(delta: string): void {
    // What is beyond the limit is never shown while it grows: keeping it would only cost.
    if (this.#text.length <= this.#parts.client.limits.textLength) this.#text += delta;
    if (this.#pump || this.#isOver() || (this.#isOpened && this.#end.type !== "shown")) return;
    this.#pump = this.#run().finally(() => {
      this.#pump = undefined;
    });
  }

  async finish(): Promise<StreamEnd> {
    this.#stopped.abort(noLongerNeeded);
    await this.#pump;
    return this.#end;
  }

  #isOver(): boolean {
    return this.#stopped.signal.aborted || this.#parts.signal.aborted;
  }

  async #run(): Promise<void> {
    try {
      if (!this.#isOpened) await this.#open();
      if (this.#end.type === "shown") await this.#grow(this.#end.platformId);
    } catch (error) {
      const { log } = this.#parts;
      log.warn(
        { key: this.#delivery.key, error: errorMessage(error) },
        "showing the answer as it grows failed; it will be sent whole",
      );
    }
  }

  async #open(): Promise<void> {
    const { client, open, opened, signal } = this.#parts;
    this.#isOpened = true;
    await open();
    if (this.#isOver()) return;
    const text = this.#visible();
    const result = await client.send(this.#with(text), signal);
    if (result.type === "unknown") this.#end = { type: "unknown" };
    if (result.type !== "sent") return;
    this.#keepShown(text);
    this.#end = { type: "shown", platformId: result.platformId };
    await opened(result.platformId);
  }

  async #grow(platformId: string): Promise<void> {
    while (!this.#isOver() && this.#visible() !== this.#shown) {
      await this.#pause(this.#shownAt + this.#parts.edits.intervalMs - this.#parts.clock.now());
      if (this.#isOver()) return;
      const text = this.#visible();
      const result = await this.#parts.edits.edit(platformId, this.#with(text), false);
      if (result.type === "rejected") return;
      if (result.type === "sent") this.#keepShown(text);
      else await this.#pause((result.type === "not-sent" ? result.retryInMs : undefined) ?? 1_000);
    }
  }

  #keepShown(text: string): void {
    this.#shown = text;
    this.#shownAt = this.#parts.clock.now();
  }

  /** Ends early when the text is complete. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#parts.clock.sleep(ms, this.#stopped.signal).catch(() => undefined);
  }

  #visible(): string {
    return withinLimit(this.#text, this.#parts.client.limits.textLength);
  }

  #with(text: string): Delivery {
    return { ...this.#delivery, content: { ...this.#delivery.content, text }, isGrowing: true };
  }
}

/** As much of the text as fits, never half a character. */
function withinLimit(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const lastUnit = text.charCodeAt(limit - 1);
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? limit - 1 : limit);
}
