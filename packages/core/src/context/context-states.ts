import type { Clock } from "../clock.ts";
import { StoreError, TroupeError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import type { KeyValues, Versioned } from "../store/store.ts";
import type { ContextDefinition, ContextPlace, ContextRef } from "./context-definition.ts";
import { type ContextRecord, contextNamespace, outgrownNamespace, readRecord } from "./context-record.ts";
import { placeOf } from "./context-ref.ts";

/** A context whose state was read: frozen, and never older than what this process wrote. */
export type ContextState = { readonly place: ContextPlace; readonly state: JsonValue };

/** States of contexts: one of each, however many ask at once. */
export type ContextStates = {
  /**
   * Reads one, or makes it. @throws ValidationError naming the context when what is kept does not fit its schema; it stays kept.
   */
  open(ref: ContextRef): Promise<ContextState>;
  /**
   * Changes one; resolves with its new state, once that is durable. `change` is called again when another process was faster.
   * `operation` names the change: done a second time, it is nothing. @throws ValidationError when the new state does not fit.
   */
  update(ref: ContextRef, change: (state: JsonValue) => unknown, operation?: string): Promise<JsonValue>;
  /** As this process knows it now, without asking the store. */
  peek(id: string): JsonValue | undefined;
  /** What is kept under an id, or null. */
  find(id: string): Promise<ContextRecord | null>;
  /** Page by page, by id. */
  list(page: {
    readonly limit: number;
    readonly after?: string;
  }): Promise<readonly (ContextRecord & { readonly id: string })[]>;
  /** Takes one away for good and says whether there was one. */
  remove(id: string): Promise<boolean>;
  /** Resolves when no change of these is under way. */
  settled(ids: readonly string[]): Promise<void>;
  /** How many are in memory, for measures. */
  size(): number;
};

/** What states are kept with. */
export type ContextStatesParts = {
  readonly agentId: string;
  readonly keyValues: KeyValues;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** Told when a state changed, after that is durable. */
  readonly onChanged?: (state: ContextState) => void;
  /** Idle ones kept in memory at most; 500 when absent. */
  readonly idleLimit?: number;
};

/** Changes of calls that a record remembers. */
const doneKept = 64;
/** Each failed try means that somebody else succeeded. */
const mostTries = 100;
/** Characters of a state's JSON. */
const longestState = 1_000_000;

/** What is known of one instance. `version` 0: nothing is kept yet. */
type Known = { readonly record: ContextRecord; readonly version: number; readonly state: JsonValue };
/** Its turn: work on one instance is done one after the other. */
type Seat = { known: Known | null; last: Promise<unknown>; waiting: number };

/** No state in memory yet. */
export function createContextStates(parts: ContextStatesParts): ContextStates {
  const { agentId, keyValues, idleLimit = 500 } = parts;
  const busy = new Map<string, Seat>();
  const idle = new Map<string, Seat>();

  const leave = (id: string, seat: Seat): void => {
    seat.waiting -= 1;
    if (seat.waiting > 0) return;
    busy.delete(id);
    if (!seat.known) return;
    idle.set(id, seat);
    if (idle.size <= idleLimit) return;
    // The one that was idle for longest stands first.
    for (const oldest of idle.keys()) {
      idle.delete(oldest);
      break;
    }
  };
  const inTurn = async <Result>(id: string, work: (seat: Seat) => Promise<Result>): Promise<Result> => {
    const seat = busy.get(id) ?? idle.get(id) ?? { known: null, last: Promise.resolve(), waiting: 0 };
    idle.delete(id);
    busy.set(id, seat);
    seat.waiting += 1;
    const mine = seat.last.then(() => work(seat));
    seat.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      leave(id, seat);
    }
  };

  return {
    open(ref) {
      const place = placeOf(agentId, ref);
      return inTurn(place.id, async (seat) => {
        seat.known = await read(ref, place, seat.known, parts);
        return { place, state: seat.known.state };
      });
    },
    update(ref, change, operation) {
      const place = placeOf(agentId, ref);
      return inTurn(place.id, async (seat) => {
        const before = (seat.known ??= await read(ref, place, null, parts));
        for (let tries = 1; tries <= mostTries; tries += 1) {
          const { known, isWritten } = await attempt(ref, { place, known: seat.known, change, operation }, parts);
          seat.known = known;
          if (isWritten) {
            if (known !== before) parts.onChanged?.({ place, state: known.state });
            return known.state;
          }
        }
        throw new StoreError("conflict", `${named(place)} was changed by others ${mostTries} times at once; try again`);
      });
    },
    peek: (id) => (busy.get(id) ?? idle.get(id))?.known?.state,
    async find(id) {
      const kept = await keyValues.get(agentId, contextNamespace, id);
      return kept ? readRecord(kept.value) : null;
    },
    async list({ limit, after }) {
      const page = { limit, ...(after !== undefined && { after }) };
      const rows = await keyValues.list(agentId, contextNamespace, page);
      return rows.flatMap(({ key: id, value }) => {
        const record = readRecord(value);
        return record ? [{ id, ...record }] : [];
      });
    },
    remove: (id) =>
      inTurn(id, async (seat) => {
        seat.known = null;
        await keyValues.delete(agentId, outgrownNamespace, id);
        return keyValues.delete(agentId, contextNamespace, id);
      }),
    async settled(ids) {
      await Promise.all(ids.map((id) => busy.get(id)?.last));
    },
    size: () => busy.size + idle.size,
  };
}

type Parts = ContextStatesParts;

/** The context in words. */
function named({ type, key }: Pick<ContextPlace, "type" | "key">): string {
  return `context ${type} ${JSON.stringify(key.slice(0, 100))}`;
}

async function read(ref: ContextRef, place: ContextPlace, known: Known | null, parts: Parts): Promise<Known> {
  const { agentId, keyValues } = parts;
  const { definition } = ref;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const kept = await keyValues.get(agentId, contextNamespace, place.id);
    if (kept && known?.version === kept.version && !definition.states?.storage) return known;
    const found = kept ? await take(definition, place, kept, parts) : await make(definition, place, parts);
    if (found) return found;
  }
  throw new StoreError("conflict", `${named(place)} was changed by others ${mostTries} times at once; try again`);
}

/** What is kept, read by the schema; null when it was changed meanwhile. */
async function take(
  definition: ContextDefinition,
  place: ContextPlace,
  { value, version }: Versioned,
  parts: Parts,
): Promise<Known | null> {
  const { states } = definition;
  const record = readRecord(value);
  if (!record) throw damaged(place);
  if (!states) return { record, version, state: null };
  const stored = states.storage ? await states.storage.load(place) : record.state;
  if (stored === undefined || stored === null) {
    const state = await firstState(states, place);
    return write(place, { ...record, ...within(states, state) }, { version, state }, parts);
  }
  const fitting = states.read(stored);
  if (fitting.ok) return { record, version, state: fitting.value };
  return migrate(definition, { place, record, version, stored, problem: fitting.problem }, parts);
}

type States = NonNullable<ContextDefinition["states"]>;

function within(states: States, state: JsonValue): { readonly state?: JsonValue } {
  return states.storage ? {} : { state };
}

/** A new instance, kept at once, so that `create` is asked once; null when somebody else made it meanwhile. */
async function make({ states }: ContextDefinition, place: ContextPlace, parts: Parts): Promise<Known | null> {
  const now = parts.clock.now();
  const { type, key, args } = place;
  const stored: unknown = states?.storage ? await states.storage.load(place) : null;
  const isThere = stored !== null && stored !== undefined;
  const kept = states && isThere ? states.read(stored) : null;
  if (kept && !kept.ok) throw misfit(place, kept.problem);
  const state = kept ? kept.value : states ? await firstState(states, place) : null;
  const record = { type, key, args, ...(states && within(states, state)), done: [], createdAt: now, updatedAt: now };
  if (states?.storage && !isThere) await states.storage.save(state, place);
  return write(place, record, { version: 0, state }, parts);
}

async function firstState(states: States, place: ContextPlace): Promise<JsonValue> {
  const read = states.read(await states.create(place));
  if (read.ok) return read.value;
  throw new ValidationError(
    `The state that ${named(place)} is created with does not fit its schema: ${read.problem}. Correct its create.`,
  );
}

/** Keeps a record over the version that was read, or over any; null when that is another one by now. */
async function write(
  place: ContextPlace,
  record: ContextRecord,
  { version, state }: { readonly version: number | null; readonly state: JsonValue },
  { agentId, keyValues }: Parts,
): Promise<Known | null> {
  const value = JSON.stringify(record);
  if (value.length > longestState) {
    throw new ValidationError(
      `The state of ${named(place)} has ${value.length} characters of JSON, at most ${longestState} are kept; keep less, or give it load and save.`,
    );
  }
  const put = { value, ...(version !== null && { ifVersion: version }) };
  const isSet = await keyValues.set(agentId, contextNamespace, place.id, put);
  return isSet ? { record, version: (version ?? 0) + 1, state } : null;
}

type Outgrown = {
  readonly place: ContextPlace;
  readonly record: ContextRecord;
  readonly version: number;
  readonly stored: unknown;
  readonly problem: string;
};

/** What was kept under an earlier schema stays kept beside, so that a wrong `migrate` loses nothing. */
async function migrate(definition: ContextDefinition, old: Outgrown, parts: Parts): Promise<Known | null> {
  const { place, record, version, stored, problem } = old;
  const { states } = definition;
  if (!states?.migrate) throw misfit(place, problem);
  // Only JSON is kept.
  const read = states.read(await states.migrate(stored as JsonValue, place));
  if (!read.ok) {
    throw new ValidationError(
      `What migrate made of the state of ${named(place)} does not fit its schema: ${read.problem}. What was kept is untouched; correct migrate.`,
    );
  }
  const { agentId, keyValues, log, clock } = parts;
  await keyValues.set(agentId, outgrownNamespace, place.id, { value: JSON.stringify({ ...record, state: stored }) });
  if (states.storage) await states.storage.save(read.value, place);
  const next = { ...record, ...within(states, read.value), updatedAt: clock.now() };
  const put = await write(place, next, { version, state: read.value }, parts);
  if (put) log.info({ contextId: place.id, type: place.type }, "a context's state was migrated; what it was is kept");
  return put;
}

function misfit(place: ContextPlace, problem: string): ValidationError {
  return new ValidationError(
    `What is kept of ${named(place)} does not fit its schema any more: ${problem}. It stays kept; give the context a migrate, or correct its state schema.`,
  );
}

function damaged(place: ContextPlace): TroupeError {
  return new TroupeError("corrupt", `What is kept of ${named(place)} cannot be read; remove it, or restore a backup.`);
}

type Change = {
  readonly place: ContextPlace;
  readonly known: Known;
  readonly change: (state: JsonValue) => unknown;
  readonly operation: string | undefined;
};

/** One try to change a state. When somebody else was faster: what there is now. */
async function attempt(
  ref: ContextRef,
  { place, known, change, operation }: Change,
  parts: Parts,
): Promise<{ readonly known: Known; readonly isWritten: boolean }> {
  const { states, type } = ref.definition;
  if (!states) throw new ValidationError(`Context ${type} has no state to update; give it a state and a create.`);
  if (operation !== undefined && known.record.done.includes(operation)) {
    // It may be that only an earlier version is known here; what is there now counts.
    return { known: await read(ref, place, known, parts), isWritten: true };
  }
  const changed = change(known.state);
  if (changed instanceof Promise) {
    // Nobody waits for it, and its failure is nobody's.
    changed.catch(() => undefined);
    throw new ValidationError(
      `An update of ${named(place)} returned a promise; await first, then update with the result.`,
    );
  }
  const next = states.read(changed);
  if (!next.ok) {
    throw new ValidationError(
      `An update of ${named(place)} made a state that does not fit its schema: ${next.problem}. Nothing was changed.`,
    );
  }
  if (JSON.stringify(next.value) === JSON.stringify(known.state)) return { known, isWritten: true };
  const done = operation === undefined ? known.record.done : [...known.record.done, operation].slice(-doneKept);
  const record = { ...known.record, ...within(states, next.value), done, updatedAt: parts.clock.now() };
  if (states.storage) await states.storage.save(next.value, place);
  // What lies elsewhere is not compared: saved is saved, and the record only follows.
  const version = states.storage ? null : known.version;
  const put = await write(place, record, { version, state: next.value }, parts);
  return put ? { known: put, isWritten: true } : { known: await read(ref, place, known, parts), isWritten: false };
}
