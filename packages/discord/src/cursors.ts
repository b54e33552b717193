import type { ClientState, Clock, Log } from "@troupe/core";
import { errorMessage } from "@troupe/core/errors";
import { idOf, isNewer } from "./read.ts";

/**
 * How far each room was heard: the newest message the engine has, by room, and over all rooms. Kept a moment later than it
 * happens: what is told again after a crash is known by its id.
 */
export type Cursors = {
  /** Reads what was kept; `isFirst` when nothing ever was. */
  load(): Promise<{ readonly isFirst: boolean }>;
  /** The newest message the engine has of a room. */
  seen(room: string): Promise<string | null>;
  /** The same, as far as it is known without looking. */
  seenLately(room: string): string | null;
  /** Everything up to here was heard, in all rooms. */
  watermark(): string | null;
  /** The direct messages there are, the most recent ones last. */
  directRooms(): readonly string[];
  /** From this message on something is not kept yet: the watermark stays behind it until `end`. */
  begin(messageId: string): void;
  end(messageId: string): void;
  /** The engine has a message, or needs none. */
  note(room: string, messageId: string, isDirect: boolean): void;
  /** Everything that was ever said counts as heard. */
  startAt(messageId: string): void;
  flush(): Promise<void>;
};

/** What they are kept with. */
export type CursorParts = {
  readonly state: ClientState;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

const flushAfterMs = 250;
const keptRooms = 20_000;
const keptDirectRooms = 500;

/** Makes them; `load` before use. */
export function createCursors(parts: CursorParts): Cursors {
  return new KeptCursors(parts);
}

class KeptCursors implements Cursors {
  readonly #parts: CursorParts;
  readonly #rooms = new Map<string, string>();
  readonly #dirty = new Set<string>();
  readonly #begun = new Map<string, number>();
  #direct: string[] = [];
  #isDirectDirty = false;
  #newest: string | null = null;
  #keptWatermark: string | null = null;
  #flushing: Promise<void> | undefined;

  constructor(parts: CursorParts) {
    this.#parts = parts;
  }

  async load(): Promise<{ readonly isFirst: boolean }> {
    const { state } = this.#parts;
    const [watermark, direct] = await Promise.all([state.get("watermark"), state.get("direct")]);
    this.#newest = idOf(watermark);
    this.#keptWatermark = this.#newest;
    this.#direct = (direct ?? "").split(",").flatMap((id) => idOf(id) ?? []);
    return { isFirst: this.#newest === null };
  }

  async seen(room: string): Promise<string | null> {
    return this.#rooms.get(room) ?? idOf(await this.#parts.state.get(keyOf(room)));
  }

  seenLately(room: string): string | null {
    return this.#rooms.get(room) ?? null;
  }

  watermark(): string | null {
    let mark = this.#newest;
    for (const id of this.#begun.keys()) {
      const before = String(BigInt(id) - 1n);
      if (mark !== null && isNewer(mark, before)) mark = before;
    }
    return mark;
  }

  directRooms(): readonly string[] {
    return this.#direct;
  }

  begin(messageId: string): void {
    this.#begun.set(messageId, (this.#begun.get(messageId) ?? 0) + 1);
  }

  end(messageId: string): void {
    const count = this.#begun.get(messageId) ?? 0;
    if (count > 1) this.#begun.set(messageId, count - 1);
    else this.#begun.delete(messageId);
  }

  note(room: string, messageId: string, isDirect: boolean): void {
    if (isDirect && this.#direct.at(-1) !== room) {
      this.#direct = [...this.#direct.filter((id) => id !== room), room].slice(-keptDirectRooms);
      this.#isDirectDirty = true;
    }
    const known = this.#rooms.get(room);
    if (known === undefined || isNewer(messageId, known)) {
      this.#rooms.delete(room);
      this.#rooms.set(room, messageId);
      this.#dirty.add(room);
    }
    this.startAt(messageId);
  }

  startAt(messageId: string): void {
    if (this.#newest === null || isNewer(messageId, this.#newest)) this.#newest = messageId;
    if (this.#parts.signal.aborted) return;
    this.#flushing ??= this.#flushSoon();
  }

  async flush(): Promise<void> {
    const { state } = this.#parts;
    for (const room of [...this.#dirty]) {
      const id = this.#rooms.get(room);
      this.#dirty.delete(room);
      if (id === undefined) continue;
      await state.set(keyOf(room), id).catch((error: unknown) => {
        this.#dirty.add(room);
        throw error;
      });
    }
    if (this.#isDirectDirty) {
      await state.set("direct", this.#direct.join(","));
      this.#isDirectDirty = false;
    }
    const mark = this.watermark();
    if (mark !== null && mark !== this.#keptWatermark) {
      await state.set("watermark", mark);
      this.#keptWatermark = mark;
    }
    this.#forget();
  }

  async #flushSoon(): Promise<void> {
    const { clock, log, signal } = this.#parts;
    await clock.sleep(flushAfterMs, signal).catch(() => undefined);
    this.#flushing = undefined;
    try {
      await this.flush();
    } catch (error) {
      if (signal.aborted)
        return log.debug({ error: errorMessage(error) }, "the last steps are heard again at the next start");
      log.warn({ error: errorMessage(error) }, "how far Discord was heard could not be written down; trying again");
      this.#flushing ??= this.#flushSoon();
    }
  }

  /** What was written down long ago can be read again. */
  #forget(): void {
    for (const room of this.#rooms.keys()) {
      if (this.#rooms.size <= keptRooms) return;
      if (!this.#dirty.has(room)) this.#rooms.delete(room);
    }
  }
}

const keyOf = (room: string): string => `seen:${room}`;
