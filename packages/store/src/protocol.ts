import type {
  Accepted,
  DeliveryRow,
  Entity,
  Entry,
  Inbox,
  InboxRow,
  JobLease,
  JobOutcome,
  JobRow,
  Lease,
  Memory,
  RoomRow,
  RunRow,
  SearchHit,
  SqlRow,
  SqlStatement,
  Store,
  TableOwner,
  TableStep,
  Versioned,
} from "@troupe/core";

type Forgetting = Parameters<Store["admin"]["forget"]>[1];
type Forgotten = Awaited<ReturnType<Store["admin"]["forget"]>>;

/**
 * What travels between the thread that asks and the thread that owns the file. Rows are tuples in the order of their
 * columns, so that the asking side does the encoding once and the other only binds.
 */

/** `id, platform, account, platformId, name, data` */
export type WorldTuple = readonly [string, string, string, string, string | null, string | null];

/** Which messages of a room to read. */
export type RecentArguments = {
  readonly roomId: string;
  readonly limit: number;
  readonly before: string | null;
  readonly withoutWaiting: boolean;
};

/** `id, worldId, platform, account, platformId, channelType, name, data` */
export type RoomTuple = readonly [string, string | null, string, string, string, string, string | null, string | null];

/** `id, platform, account, platformId, name, isBot, data` */
export type EntityTuple = readonly [string, string, string, string, string, number | null, string | null];

/** `id, roomId, entityId, type, createdAt, platformId, runId, text, content without text, metadata, further words` */
export type MemoryTuple = readonly [
  string,
  string,
  string,
  string,
  number,
  string | null,
  string | null,
  string,
  string,
  string | null,
  string | null,
];

/** `id, [text, content without text, further words] or null, metadata or null`: what is null stays. */
export type MemoryEditTuple = readonly [
  string,
  readonly [text: string, content: string, words: string | null] | null,
  string | null,
];

/** `fromId, toId, tags, data, updatedAt` */
export type RelationshipTuple = readonly [string, string, string, string | null, number];

/** `id, name, kind, state, nextAt, roomId, entityId, createdAt, everything else` */
export type TaskTuple = readonly [
  string,
  string,
  string,
  string,
  number | null,
  string | null,
  string | null,
  number,
  string,
];

/** `states, kind, roomId, entityId, limit` */
export type TaskQueryTuple = readonly [readonly string[], string | null, string | null, string | null, number];

/** `memoryId, its vector or why it has none` */
export type EmbeddedTuple = readonly [string, Float32Array | string];

/** A scope with every list there, maybe empty. */
export type ScopeArguments = {
  readonly roomIds: readonly string[];
  readonly worldIds: readonly string[];
  readonly entityIds: readonly string[];
};

/** What to search for. */
type SearchArguments = {
  readonly text: string;
  readonly limit: number;
  readonly scope: ScopeArguments | null;
  readonly types: readonly string[] | null;
  readonly match: "all" | "any";
};

/** Which memories to list. */
type ListArguments = {
  readonly types: readonly string[];
  readonly limit: number;
  readonly scope: ScopeArguments | null;
  readonly before: string | null;
};

/** Which vectors to look among. */
type NearestArguments = {
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
  readonly scope: ScopeArguments | null;
  readonly types: readonly string[] | null;
};

/** `key, runId, roomId, state, isOpen, text, content without text, everything else` */
export type DeliveryTuple = readonly [string, string, string, string, number, string, string, string];

/** One change, encoded. */
export type EncodedWrite =
  | readonly ["world.put", WorldTuple]
  | readonly ["room.put", RoomTuple]
  | readonly ["room.stance", roomId: string, stance: string]
  | readonly ["entity.put", EntityTuple]
  | readonly ["memory.put", MemoryTuple]
  | readonly ["memory.remove", id: string]
  | readonly ["memory.edit", MemoryEditTuple]
  | readonly ["room.move", fromRoomId: string, RoomTuple]
  | readonly ["relationship.put", RelationshipTuple]
  | readonly ["relationship.remove", fromId: string, toId: string]
  | readonly ["task.put", TaskTuple]
  | readonly ["task.remove", id: string]
  | readonly ["part.put", hash: string, text: string]
  | readonly ["delivery.put", DeliveryTuple]
  | readonly ["delivery.set", DeliveryChange]
  | readonly ["job.put", JobTuple];

/** `state, isAttempt, text, platformId, error, key` */
export type DeliveryChange = readonly [string, number, string | null, string | null, string | null, string];

/** `id, kind, payload, runAt, queue` */
export type JobTuple = readonly [string, string, string, number, string | null];

/** `agentId, id, epoch` */
export type JobFenceTuple = readonly [string, string, number];

/** `type, at, error` */
export type JobOutcomeTuple = readonly [JobOutcome["type"], number | null, string | null];

/** `seq, runId, at, body` */
export type EncodedEntry = readonly [number, string, number, string];

/** What entries add to a run's row: `runId, startedAt, inputTokens, outputTokens, costMicrousd, endedAt, outcome, reason` */
export type RunChange = readonly [string, number, number, number, number, number | null, string | null, string | null];

/** `agentId, contextId, epoch` */
export type FenceTuple = readonly [string, string, number];

/** `eventId, kind, platform, account, at, owner, world, room, entity, memory, contextId` */
export type AcceptArguments = readonly [
  string,
  string,
  string,
  string,
  number,
  string | null,
  WorldTuple | null,
  RoomTuple,
  EntityTuple,
  MemoryTuple,
  string,
];

/** `runId, seqs, outcome, reason` */
export type DoneTuple = readonly [string, readonly number[], string, string | null];

/** Every operation with its arguments. The answer is JSON text, or null. `now` is epoch milliseconds by the asker's clock. */
export type Operations = {
  readonly "inbox.accept": readonly [agentId: string, accept: AcceptArguments];
  readonly "inbox.claim": readonly [agentId: string, owner: string, limit: number];
  readonly "inbox.waiting": FenceTuple;
  readonly "inbox.release": FenceTuple;
  readonly "inbox.recover": readonly [agentId: string];
  readonly "inbox.find": readonly [agentId: string, memoryId: string];
  readonly "inbox.counts": readonly [agentId: string];
  readonly "journal.append": readonly [
    fence: FenceTuple,
    entries: readonly EncodedEntry[],
    runs: readonly RunChange[],
    writes: readonly EncodedWrite[],
    done: DoneTuple | null,
    now: number,
  ];
  readonly "journal.entries": readonly [agentId: string, runId: string];
  readonly "journal.parts": readonly [agentId: string, hashes: readonly string[]];
  readonly "journal.run": readonly [agentId: string, id: string];
  readonly "journal.runs": readonly [agentId: string, limit: number, contextId: string | null];
  readonly "memories.get": readonly [agentId: string, ids: readonly string[]];
  readonly "memories.recent": readonly [agentId: string, recent: RecentArguments];
  readonly "memories.list": readonly [agentId: string, list: ListArguments];
  readonly "memories.search": readonly [agentId: string, search: SearchArguments];
  readonly "memories.byPlatformId": readonly [agentId: string, platformId: string];
  readonly "memories.lastHeard": readonly [agentId: string, roomId: string | null];
  readonly "rooms.room": readonly [agentId: string, id: string];
  readonly "rooms.rooms": readonly [agentId: string, limit: number];
  readonly "rooms.entities": readonly [agentId: string, ids: readonly string[]];
  readonly "rooms.participants": readonly [agentId: string, roomId: string, limit: number];
  readonly "outbox.get": readonly [agentId: string, key: string];
  readonly "outbox.list": readonly [
    agentId: string,
    states: readonly string[] | null,
    limit: number,
    newestFirst: boolean,
    runId: string | null,
  ];
  readonly "keyValues.get": readonly [agentId: string, namespace: string, key: string, now: number];
  readonly "keyValues.list": readonly [
    agentId: string,
    namespace: string,
    limit: number,
    after: string | null,
    now: number,
  ];
  readonly "keyValues.set": readonly [
    agentId: string,
    namespace: string,
    key: string,
    value: string,
    ifVersion: number | null,
    expiresAt: number | null,
    now: number,
  ];
  readonly "keyValues.delete": readonly [agentId: string, namespace: string, key: string, now: number];
  readonly "keyValues.increment": readonly [
    agentId: string,
    namespace: string,
    key: string,
    amount: number,
    expiresAt: number | null,
    now: number,
  ];
  readonly "jobs.claim": readonly [
    agentId: string,
    owner: string,
    dueBy: number,
    limit: number,
    kinds: readonly string[] | null,
    now: number,
  ];
  readonly "jobs.finish": readonly [fence: JobFenceTuple, outcome: JobOutcomeTuple, now: number];
  readonly "jobs.recover": readonly [agentId: string, now: number];
  readonly "jobs.nextAt": readonly [agentId: string];
  readonly "jobs.list": readonly [agentId: string, states: readonly string[] | null, limit: number];
  readonly "jobs.remove": readonly [agentId: string, id: string, now: number];
  readonly "jobs.revive": readonly [agentId: string, id: string, now: number];
  readonly "tables.migrate": readonly [owner: TableOwner, steps: readonly TableStep[], now: number];
  readonly "tables.query": readonly [owner: TableOwner, statement: SqlStatement];
  readonly "tables.write": readonly [owner: TableOwner, statements: readonly SqlStatement[]];
  readonly "embeddings.missing": readonly [agentId: string, model: string, limit: number, types: readonly string[]];
  readonly "embeddings.put": readonly [agentId: string, model: string, embedded: readonly EmbeddedTuple[]];
  readonly "embeddings.nearest": readonly [agentId: string, query: NearestArguments];
  readonly "embeddings.counts": readonly [agentId: string];
  readonly "embeddings.dropSome": readonly [agentId: string, model: string];
  readonly "relationships.of": readonly [agentId: string, entityId: string, tag: string | null];
  readonly "tasks.get": readonly [agentId: string, id: string];
  readonly "tasks.list": readonly [agentId: string, query: TaskQueryTuple];
  readonly "admin.forget": readonly [agentId: string, forgetting: Forgetting, now: number];
  readonly "admin.scrub": readonly [];
  readonly "admin.settle": readonly [];
  readonly "admin.write": readonly [agentId: string, writes: readonly EncodedWrite[], now: number];
  readonly "admin.look": readonly [];
  readonly "admin.check": readonly [deep: boolean];
};

/** What each operation's answer means once it is read. */
export type Results = {
  readonly "inbox.accept": Accepted;
  readonly "inbox.claim": readonly Lease[];
  readonly "inbox.waiting": readonly InboxRow[];
  readonly "inbox.release": void;
  readonly "inbox.recover": { readonly freed: number };
  readonly "inbox.find": InboxRow | null;
  readonly "inbox.counts": Awaited<ReturnType<Inbox["counts"]>>;
  readonly "journal.append": Lease | null;
  readonly "journal.entries": readonly Entry[];
  readonly "journal.parts": readonly (readonly [string, string])[];
  readonly "journal.run": RunRow | null;
  readonly "journal.runs": readonly RunRow[];
  readonly "memories.get": readonly Memory[];
  readonly "memories.recent": readonly Memory[];
  readonly "memories.list": readonly Memory[];
  readonly "memories.search": readonly SearchHit[];
  readonly "memories.byPlatformId": readonly Memory[];
  readonly "memories.lastHeard": Memory | null;
  readonly "rooms.room": RoomRow | null;
  readonly "rooms.rooms": readonly RoomRow[];
  readonly "rooms.entities": readonly Entity[];
  readonly "rooms.participants": readonly Entity[];
  readonly "outbox.get": DeliveryRow | null;
  readonly "outbox.list": readonly DeliveryRow[];
  readonly "keyValues.get": Versioned | null;
  readonly "keyValues.list": Awaited<ReturnType<Store["keyValues"]["list"]>>;
  readonly "keyValues.set": boolean;
  readonly "keyValues.delete": boolean;
  readonly "keyValues.increment": number;
  readonly "jobs.claim": readonly JobLease[];
  readonly "jobs.finish": void;
  readonly "jobs.recover": { readonly freed: number };
  readonly "jobs.nextAt": readonly (readonly [kind: string, at: number])[];
  readonly "jobs.list": readonly JobRow[];
  readonly "jobs.remove": boolean;
  readonly "jobs.revive": boolean;
  readonly "tables.migrate": readonly string[];
  readonly "tables.query": readonly SqlRow[];
  readonly "tables.write": readonly number[];
  readonly "embeddings.missing": Awaited<ReturnType<Store["embeddings"]["missing"]>>;
  readonly "embeddings.put": void;
  /** Null: there is more to be read in first; ask again. */
  readonly "embeddings.nearest": readonly SearchHit[] | null;
  readonly "embeddings.counts": Awaited<ReturnType<Store["embeddings"]["counts"]>>;
  /** Whether there are more. */
  readonly "embeddings.dropSome": boolean;
  readonly "relationships.of": Awaited<ReturnType<Store["relationships"]["of"]>>;
  readonly "tasks.get": Awaited<ReturnType<Store["tasks"]["get"]>>;
  readonly "tasks.list": Awaited<ReturnType<Store["tasks"]["list"]>>;
  readonly "admin.forget": Forgotten;
  /** Whether there is more to do. */
  readonly "admin.scrub": boolean;
  /** Whether it is done; if not, it is done at a pause. */
  readonly "admin.settle": boolean;
  readonly "admin.write": void;
  readonly "admin.look": Readonly<Record<string, string | number>>;
  readonly "admin.check": readonly string[];
};

/** The name of an operation. */
export type OperationName = keyof Operations;

/** One question. */
export type Request = readonly [id: number, name: OperationName, args: readonly unknown[]];

/** Why something could not be done, as plain data that can travel: an `ErrorCode`, a message, when to try again. */
export type Failure = { readonly code: FailureCode; readonly message: string; readonly retryAfterMs?: number };

/** The codes a store fails with; a part of core's `ErrorCode`. */
export type FailureCode = "invalid" | "not_found" | "conflict" | "unavailable" | "exhausted" | "corrupt" | "internal";

/** One answer: JSON text or null, or a failure. */
export type Reply = readonly [id: number, result: string | null, failure?: Failure];

/** What the owning thread says: that it is ready, that it cannot be, answers, a warning for the log, or that it has closed. */
export type WorkerMessage =
  | readonly Reply[]
  | { readonly type: "ready" }
  | { readonly type: "warning"; readonly message: string; readonly failure: Failure }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "closed"; readonly failure?: Failure };

/** What the asking thread says once the file is open: questions, or that it is over when everything before is answered. */
export type HostMessage = readonly Request[] | "close";

/** The first thing the asking thread says: how a database is to be opened. `maxPages` bounds its size in pages of 4 KiB. */
export type OpenOptions = { readonly path: string; readonly readOnly: boolean; readonly maxPages?: number };

/** Work on a connection of its own, beside the thread that owns the file: looking at every page, copying. */
export type SideTask =
  | { readonly type: "check"; readonly path: string; readonly deep: boolean }
  | { readonly type: "backup"; readonly path: string; readonly toPath: string };

/** What became of a side task: what is wrong with the pages, or nothing to tell. */
export type SideResult = { readonly problems: readonly string[] } | { readonly failure: Failure };

/** The path that means: keep everything in memory. */
export const inMemory = ":memory:";
