import type { TelegramUpdate } from "../payload.ts";

/** What is sent when a bot has not said otherwise: everything but these. */
const onRequest: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

const keptMs = 24 * 60 * 60 * 1000;
const weekMs = 7 * keptMs;
const keptPast = 1_000;

/** An update that waits. */
export type QueuedUpdate = {
  readonly update: TelegramUpdate;
  /** Updates of one lane (a chat) are never sent side by side. */
  readonly lane: string;
  readonly atMs: number;
  /** It was handed out at least once. */
  wasSent: boolean;
  /** It was put here again after the bot had it: an older offset does not take it away before it was sent. */
  readonly isAgain: boolean;
};

/** The updates of one bot that it has not acknowledged, and what can go wrong with them. */
export type UpdateQueue = {
  /** Which kinds the bot wants; null: all but those that must be asked for. */
  allowed: readonly string[] | null;
  push(kind: string, payload: unknown, lane: string): void;
  /** What can be sent now, oldest first. */
  ready(): readonly QueuedUpdate[];
  /** Forgets what comes before this id; below 0: all but the last so many. */
  acknowledge(offset: number): void;
  remove(entry: QueuedUpdate): void;
  clear(): void;
  /** Called whenever something may have become ready. */
  watch(listener: () => void): () => void;
  /** How many wait, held ones included. */
  count(): number;
  /** Every update made so far that is still remembered, the acknowledged ones included. */
  past(): readonly TelegramUpdate[];
  hold(): void;
  release(): void;
  duplicateNext(count: number): void;
  reorderNext(count: number): void;
  /** Puts a past update in again. False when it is unknown. */
  again(updateId: number): boolean;
};

type State = {
  waiting: QueuedUpdate[];
  past: QueuedUpdate[];
  /** The next ones, until there are enough to turn round. */
  turning: QueuedUpdate[];
  toTurn: number;
  toDouble: number;
  isHeld: boolean;
  nextId: number;
  lastMs: number;
};

/** @param parts `now` in milliseconds since 1970; `newId` where a row of ids starts. */
export function createUpdateQueue(parts: { readonly now: () => number; readonly newId: () => number }): UpdateQueue {
  const state: State = {
    waiting: [],
    past: [],
    turning: [],
    toTurn: 0,
    toDouble: 0,
    isHeld: false,
    nextId: parts.newId(),
    lastMs: parts.now(),
  };
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const expire = (): void => {
    const oldest = parts.now() - keptMs;
    if ((state.waiting[0]?.atMs ?? oldest) < oldest) state.waiting = state.waiting.filter(({ atMs }) => atMs >= oldest);
  };
  const own: UpdateQueue = {
    allowed: null,
    push(kind, payload, lane) {
      if (own.allowed === null ? onRequest.has(kind) : !own.allowed.includes(kind)) return;
      admit(state, { kind, payload, lane, now: parts.now(), newId: parts.newId });
      tell();
    },
    ready() {
      expire();
      return state.isHeld ? [] : [...state.waiting];
    },
    acknowledge(offset) {
      expire();
      if (offset < 0) state.waiting = state.waiting.slice(offset);
      else
        state.waiting = state.waiting.filter(
          ({ update, isAgain, wasSent }) => update.update_id >= offset || (isAgain && !wasSent),
        );
    },
    remove(entry) {
      state.waiting = state.waiting.filter((other) => other !== entry);
    },
    clear() {
      state.waiting = [];
      state.turning = [];
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    count() {
      expire();
      return state.waiting.length + state.turning.length;
    },
    past: () => state.past.map(({ update }) => update),
    hold() {
      state.isHeld = true;
    },
    release() {
      state.isHeld = false;
      tell();
    },
    duplicateNext(count) {
      state.toDouble += count;
    },
    reorderNext(count) {
      state.toTurn = Math.max(0, count);
    },
    again(updateId) {
      const found = state.past.find(({ update }) => update.update_id === updateId);
      if (!found) return false;
      state.waiting.push({ ...found, atMs: parts.now(), wasSent: false, isAgain: true });
      tell();
      return true;
    },
  };
  return own;
}

type Admission = {
  readonly kind: string;
  readonly payload: unknown;
  readonly lane: string;
  readonly now: number;
  readonly newId: () => number;
};

function admit(state: State, { kind, payload, lane, now, newId }: Admission): void {
  // After a week without updates the ids start anywhere.
  if (now - state.lastMs >= weekMs) state.nextId = newId();
  state.lastMs = now;
  const entry: QueuedUpdate = {
    update: { update_id: state.nextId, [kind]: payload },
    lane,
    atMs: now,
    wasSent: false,
    isAgain: false,
  };
  state.nextId += 1;
  state.past.push(entry);
  if (state.past.length > keptPast) state.past.shift();
  const copies = state.toDouble > 0 ? [entry, { ...entry, isAgain: true }] : [entry];
  state.toDouble = Math.max(0, state.toDouble - 1);
  if (state.toTurn === 0) {
    state.waiting.push(...copies);
    return;
  }
  state.turning.unshift(...copies);
  state.toTurn -= 1;
  if (state.toTurn === 0) state.waiting.push(...state.turning.splice(0));
}
