import type { Inbound } from "../inbox/inbound.ts";
import type { Memory, MemoryType } from "../memory/memory.ts";
import type { DeliveryRow, DeliveryState } from "../outbox/delivery.ts";
import type { Entity, Room, RoomStance, World } from "../room/room.ts";
import type { Entry, Part, RunOutcome } from "../run/entry.ts";
import type { Embeddings } from "./embeddings.ts";
import type { Forgetting, Forgotten } from "./forgetting.ts";
import type { Jobs } from "./jobs.ts";
import type { PluginTables } from "./plugin-tables.ts";
import type { Relationships } from "./relationships.ts";
import type { Tasks } from "./tasks.ts";
import type { Write } from "./writes.ts";

/** One accepted input and where it stands. `waiting` → `done`, once, with its outcome. */
export type InboxRow = {
  readonly seq: number;
  readonly contextId: string;
  readonly eventId: string;
  readonly kind: Inbound["kind"];
  readonly memoryId: string;
  readonly entityId: string;
  readonly acceptedAt: number;
  /** How often a process died while its context was held and this input was the oldest waiting; see {@link Inbox.recover}. */
  readonly attempts: number;
  readonly state: "waiting" | "done";
  readonly outcome?: RunOutcome;
  readonly reason?: string;
  readonly runId?: string;
};

/** The right to write to one context: whoever holds the newest epoch. A write under an older one is refused as `conflict`. */
export type Fence = { readonly agentId: string; readonly contextId: string; readonly epoch: number };

/** A claimed context with its waiting inputs, oldest first. `lastEntry` is the journal's last `seq`, 0 when empty. */
export type Lease = {
  readonly fence: Fence;
  readonly inputs: readonly InboxRow[];
  readonly lastEntry: number;
  /** The run that was begun and not ended, when there is one: go on from its entries. */
  readonly openRunId?: string;
};

/** What became of an offered event. A lease comes along when the context was idle and `owner` was named. */
export type Accepted =
  | { readonly type: "duplicate" }
  /** `isNewRoom`: nothing was known of the room before. */
  | { readonly type: "accepted"; readonly seq: number; readonly lease?: Lease; readonly isNewRoom?: true };

/** Accepted inputs not yet finished, a serial queue per context. */
export interface Inbox {
  /**
   * One transaction: world, room, entity, memory and inbox row; resolves only when it is durable.
   * With `owner`, claims the context too if nobody holds it. The context is the room's own, unless another is named.
   * @throws StoreError `exhausted` (disk full), `corrupt`, `unavailable`.
   */
  accept(
    agentId: string,
    inbound: Inbound,
    options: { readonly at: number; readonly owner?: string; readonly contextId?: string },
  ): Promise<Accepted>;
  /** Claims up to `limit` unheld contexts that have waiting inputs, longest waiting first. */
  claim(agentId: string, owner: string, limit: number): Promise<readonly Lease[]>;
  /** The waiting inputs of a held context now: what came since the lease was taken included. */
  waiting(fence: Fence): Promise<readonly InboxRow[]>;
  /** Gives a context back without an outcome. */
  release(fence: Fence): Promise<void>;
  /**
   * Frees every context that is still held, because the process that held it died, and adds one to `attempts` of the oldest
   * waiting input of each; called once at start, by the process that owns the home.
   */
  recover(agentId: string): Promise<{ readonly freed: number }>;
  /** The row of an input by the memory it carried. */
  find(agentId: string, memoryId: string): Promise<InboxRow | null>;
  counts(
    agentId: string,
  ): Promise<{ readonly waiting: number; readonly held: number; readonly oldestAt: number | null }>;
}

/** What one append commits together with its entries. */
export type Append = {
  readonly entries: readonly Entry[];
  readonly writes: readonly Write[];
  /** Ends a run: these inputs get their outcome, and the context is given back unless more are waiting. */
  readonly done?: {
    readonly runId: string;
    readonly seqs: readonly number[];
    readonly outcome: RunOutcome;
    readonly reason?: string;
  };
};

/** A run, told from its entries. Amounts are sums over its model calls. */
export type RunRow = {
  readonly id: string;
  readonly contextId: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly outcome?: RunOutcome;
  readonly reason?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicrousd: number;
  /** Something of it was forgotten: it cannot be replayed, and its entries say less than they did. */
  readonly isForgotten?: true;
};

/** The append-only record. `contextId` is the room's id, or a context's. */
export interface Journal {
  /**
   * Commits entries and writes together, under the fence. With `done`, returns the lease on what is waiting next, or null
   * when the context was given back. Resolves only when durable.
   * @throws StoreError `conflict` when the fence is outdated: somebody else goes on with this context.
   */
  append(fence: Fence, append: Append): Promise<Lease | null>;
  /** Entries of one run, in order. */
  entries(agentId: string, runId: string): Promise<readonly Entry[]>;
  /** The texts of parts; a forgotten or unknown one is missing from the map. */
  parts(agentId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Part["text"]>>;
  /** A run by its id or an unambiguous beginning of it (8 characters or more). */
  run(agentId: string, id: string): Promise<RunRow | null>;
  /** Newest first. */
  runs(agentId: string, query: { readonly limit: number; readonly contextId?: string }): Promise<readonly RunRow[]>;
}

/** Which messages to read. Their order is that of writing: platforms' clocks differ from ours and from each other's. */
export type RecentQuery = {
  readonly roomId: string;
  readonly limit: number;
  /** Only what stands before this memory. */
  readonly before?: string;
  /** Leaves out what still waits in the inbox for its outcome. */
  readonly withoutWaiting?: boolean;
};

/** Where to look: what lies in one of the rooms, in a room of one of the worlds, or is of one of the entities. */
export type Scope = {
  readonly roomIds?: readonly string[];
  readonly worldIds?: readonly string[];
  readonly entityIds?: readonly string[];
};

/** A search in what is remembered. The text may be in any script. */
export type SearchQuery = {
  readonly text: string;
  readonly limit: number;
  /** Everywhere when absent. */
  readonly scope?: Scope;
  readonly types?: readonly MemoryType[];
  /** `all` words must occur (when absent), or `any`: the more and the rarer, the better. */
  readonly match?: "all" | "any";
};

/** Which memories to list. */
type MemoryList = {
  readonly types: readonly MemoryType[];
  readonly limit: number;
  readonly scope?: Scope;
  /** Only what was written before this memory. */
  readonly before?: string;
};

/** A memory that was found. `score` is higher for better, comparable within one answer only. */
export type SearchHit = { readonly memory: Memory; readonly score: number };

/** What is remembered. */
export interface Memories {
  get(agentId: string, ids: readonly string[]): Promise<readonly Memory[]>;
  /** The last messages of a room, oldest first, removed ones left out. */
  recent(agentId: string, query: RecentQuery): Promise<readonly Memory[]>;
  /** Newest first, by writing. */
  list(agentId: string, query: MemoryList): Promise<readonly Memory[]>;
  /** Full text. Works in scripts without spaces too. Without a word in the query: the newest. */
  search(agentId: string, query: SearchQuery): Promise<readonly SearchHit[]>;
  /** By the platform's id of a message, a link's last part included; several when two rooms use the same number. */
  byPlatformId(agentId: string, platformId: string): Promise<readonly Memory[]>;
  /** The newest message heard (not our own) in a room or anywhere. */
  lastHeard(agentId: string, roomId?: string): Promise<Memory | null>;
}

/** A room with how the agent stands in it and which world it belongs to. */
export type RoomRow = { readonly room: Room; readonly stance: RoomStance; readonly world: World | null };

/** Worlds, rooms and entities, as last seen. */
export interface Rooms {
  room(agentId: string, id: string): Promise<RoomRow | null>;
  rooms(agentId: string, query: { readonly limit: number }): Promise<readonly RoomRow[]>;
  entities(agentId: string, ids: readonly string[]): Promise<readonly Entity[]>;
  /** Who spoke in a room, last spoken first. */
  participants(agentId: string, query: { readonly roomId: string; readonly limit: number }): Promise<readonly Entity[]>;
}

/** Sends and their states; changed by {@link Write}s. */
export interface Outbox {
  get(agentId: string, key: string): Promise<DeliveryRow | null>;
  /** In the order of their writing, oldest first; `newestFirst` turns it round. */
  list(
    agentId: string,
    query: {
      readonly states?: readonly DeliveryState[];
      readonly limit: number;
      readonly newestFirst?: boolean;
      readonly runId?: string;
    },
  ): Promise<readonly DeliveryRow[]>;
}

/** A value with the version it was read at; versions count up from 1, and on over a value that expired. */
export type Versioned = { readonly value: string; readonly version: number };

/** Small durable values by namespace and key: cursors, counters, locks. Expired ones are not there. */
export interface KeyValues {
  get(agentId: string, namespace: string, key: string): Promise<Versioned | null>;
  /** Sets the value if its version still is `ifVersion` (0: not there); without it, in any case. Says whether it did. */
  set(
    agentId: string,
    namespace: string,
    key: string,
    put: { readonly value: string; readonly ifVersion?: number; readonly expiresAt?: number },
  ): Promise<boolean>;
  delete(agentId: string, namespace: string, key: string): Promise<boolean>;
  /** Values of a namespace by their keys, from the first later than `after`; the order is the store's own, and always the same. */
  list(
    agentId: string,
    namespace: string,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<readonly (Versioned & { readonly key: string })[]>;
  /** Adds to a whole number, from 0 when not there, and returns the sum. */
  increment(
    agentId: string,
    namespace: string,
    key: string,
    by: { readonly amount: number; readonly expiresAt?: number },
  ): Promise<number>;
}

/** How the store is. */
export type StoreHealth = {
  readonly engine: string;
  readonly ok: boolean;
  /** What is wrong and how to mend it, one sentence each. */
  readonly problems: readonly string[];
  readonly details: Readonly<Record<string, string | number>>;
};

/** Life of a store. */
export interface StoreAdmin {
  /** Writes outside any context: everything that is not part of a run. All or none; durable when it resolves. */
  write(agentId: string, writes: readonly Write[]): Promise<void>;
  /**
   * Forgets for good, in one transaction: memories, facts, vectors, full text, and what was made of them in journals (their parts
   * become tombstones, their runs can no longer be replayed), deliveries, relationships, tasks and jobs. What still waits in the
   * inbox is ended as ignored. A second time it finds nothing.
   */
  forget(agentId: string, forgetting: Forgetting): Promise<Forgotten>;
  /** A look at the engine and its data; `deep` checks every page. */
  health(options?: { readonly deep?: boolean }): Promise<StoreHealth>;
  /** A consistent copy while running. */
  backup(toPath: string): Promise<void>;
  /** Finishes what was begun and closes; later calls fail with `unavailable`. Twice does nothing. */
  close(): Promise<void>;
}

/** Everything durable, by aggregate. One suite (`storeContract`) judges every engine. */
export interface Store {
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly memories: Memories;
  readonly rooms: Rooms;
  readonly outbox: Outbox;
  readonly keyValues: KeyValues;
  readonly jobs: Jobs;
  readonly embeddings: Embeddings;
  readonly relationships: Relationships;
  readonly tasks: Tasks;
  readonly admin: StoreAdmin;
  /** Where the engine has room for tables of plugins' own. */
  readonly tables?: PluginTables;
}
