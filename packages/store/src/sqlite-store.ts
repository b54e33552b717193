import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type {
  Inbox,
  Jobs,
  Journal,
  KeyValues,
  Log,
  Memories,
  MemoryType,
  Outbox,
  Rooms,
  Store,
  StoreAdmin,
  StoreHealth,
} from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { StoreError } from "@troupe/core/errors";
import {
  encodeEntries,
  encodeFence,
  encodeInbound,
  encodeJobFence,
  encodeJobOutcome,
  encodeScope,
  encodeWrite,
} from "./encode.ts";
import { type DoneTuple, inMemory, type OperationName, type Results } from "./protocol.ts";
import { runSideTask } from "./side-task.ts";
import { type StoreThread, startStoreThread } from "./store-thread.ts";
import { type Call, openWorkerLink, type WorkerLink } from "./worker-link.ts";

/** How to open a store. */
export type SqliteStoreOptions = {
  /** The database file, made when it is missing, or `:memory:`. */
  readonly path: string;
  readonly log: Log;
  /** Opens beside the process that owns the file, for reading only: nothing is made or brought up to date. */
  readonly readOnly?: boolean;
  /** Where the store takes the time from: expiry, and when deliveries change. The machine's, if left out. */
  readonly clock?: { now(): number };
  /** A thread that was started beforehand and serves no other store; one is started now, if left out. */
  readonly thread?: StoreThread;
  /** Bounds the file to so many pages of 4 KiB; a write beyond fails as `exhausted`. */
  readonly maxPages?: number;
};

type Now = () => number;

const everyMemoryType: readonly MemoryType[] = [
  "message",
  "reaction",
  "fact",
  "document",
  "fragment",
  "summary",
  "episode",
];
const everyTaskState = ["active", "paused", "done"] as const;

/** How often the journal's emptying is asked for before it is left to a pause; others' writes may stand in its way. */
const settleTries = 20;

/** Below this much free space health warns. */
const lowDiskBytes = 100 * 1024 * 1024;

/**
 * Opens a store on one SQLite file, owned by one thread; see the package's README.
 * @throws StoreError `not_found` (nothing to read), `conflict` (another schema), `corrupt`, `unavailable`, `exhausted`.
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { log, readOnly = false, maxPages, clock = systemClock } = options;
  const path = options.path === inMemory ? inMemory : resolve(options.path);
  const { thread = startStoreThread() } = options;
  const link = await openWorkerLink(thread, { path, readOnly, ...(maxPages !== undefined && { maxPages }) }, log);
  const ask = link.call;
  const change = readOnly ? refuse(path) : ask;
  const now: Now = () => clock.now();
  return {
    inbox: createInbox(ask, change),
    journal: createJournal(ask, change, now),
    memories: createMemories(ask),
    embeddings: createEmbeddings(ask, change),
    relationships: createRelationships(ask),
    tasks: createTasks(ask),
    rooms: createRooms(ask),
    outbox: createOutbox(ask),
    keyValues: createKeyValues(ask, change, now),
    jobs: createJobs(ask, change, now),
    tables: {
      migrate: (owner, steps) => change("tables.migrate", owner, steps, now()),
      query: (owner, statement) => ask("tables.query", owner, statement),
      write: (owner, statements) => change("tables.write", owner, statements),
    },
    admin: createAdmin({ ask, change, now, link, path, readOnly }),
  };
}

function refuse(path: string): Call {
  return async <Name extends OperationName>(name: Name, ..._: readonly unknown[]): Promise<Results[Name]> => {
    throw new StoreError("invalid", `${path} is open for reading only: ${name} must go through the agent that owns it`);
  };
}

function createInbox(ask: Call, change: Call): Inbox {
  return {
    accept: async (agentId, inbound, options) =>
      change("inbox.accept", agentId, encodeInbound(agentId, inbound, options)),
    claim: (agentId, owner, limit) => change("inbox.claim", agentId, owner, limit),
    waiting: (fence) => ask("inbox.waiting", ...encodeFence(fence)),
    release: (fence) => change("inbox.release", ...encodeFence(fence)),
    recover: (agentId) => change("inbox.recover", agentId),
    find: (agentId, memoryId) => ask("inbox.find", agentId, memoryId),
    counts: (agentId) => ask("inbox.counts", agentId),
  };
}

function createJournal(ask: Call, change: Call, now: Now): Journal {
  return {
    append: async (fence, { entries, writes, done }) => {
      const encoded = encodeEntries(entries);
      const changes = writes.map((write) => encodeWrite(fence.agentId, write));
      const end: DoneTuple | null = done ? [done.runId, done.seqs, done.outcome, done.reason ?? null] : null;
      return change("journal.append", encodeFence(fence), encoded.entries, encoded.runs, changes, end, now());
    },
    entries: (agentId, runId) => ask("journal.entries", agentId, runId),
    parts: async (agentId, hashes) => new Map(await ask("journal.parts", agentId, hashes)),
    run: (agentId, id) => ask("journal.run", agentId, id),
    runs: (agentId, { limit, contextId }) => ask("journal.runs", agentId, limit, contextId ?? null),
  };
}

function createMemories(ask: Call): Memories {
  return {
    get: (agentId, ids) => ask("memories.get", agentId, ids),
    recent: (agentId, { roomId, limit, before = null, withoutWaiting = false }) =>
      ask("memories.recent", agentId, { roomId, limit, before, withoutWaiting }),
    list: (agentId, { types, limit, scope, before = null }) =>
      ask("memories.list", agentId, { types, limit, scope: encodeScope(scope), before }),
    search: (agentId, { text, limit, scope, types = null, match = "all" }) =>
      ask("memories.search", agentId, { text, limit, scope: encodeScope(scope), types, match }),
    byPlatformId: (agentId, platformId) => ask("memories.byPlatformId", agentId, platformId),
    lastHeard: (agentId, roomId) => ask("memories.lastHeard", agentId, roomId ?? null),
  };
}

function createRooms(ask: Call): Rooms {
  return {
    room: (agentId, id) => ask("rooms.room", agentId, id),
    rooms: (agentId, { limit }) => ask("rooms.rooms", agentId, limit),
    entities: (agentId, ids) => ask("rooms.entities", agentId, ids),
    participants: (agentId, { roomId, limit }) => ask("rooms.participants", agentId, roomId, limit),
  };
}

function createEmbeddings(ask: Call, change: Call): Store["embeddings"] {
  return {
    missing: (agentId, { model, limit, types = everyMemoryType }) =>
      ask("embeddings.missing", agentId, model, limit, types),
    put: (agentId, model, embedded) =>
      change(
        "embeddings.put",
        agentId,
        model,
        embedded.map((one) => [one.memoryId, "vector" in one ? one.vector : one.refused] as const),
      ),
    nearest: async (agentId, { model, vector, limit, scope, types = null }) => {
      const query = { model, vector, limit, scope: encodeScope(scope), types };
      for (;;) {
        const hits = await ask("embeddings.nearest", agentId, query);
        if (hits !== null) return hits;
      }
    },
    counts: (agentId) => ask("embeddings.counts", agentId),
    drop: async (agentId, model) => {
      while (await change("embeddings.dropSome", agentId, model));
    },
  };
}

function createRelationships(ask: Call): Store["relationships"] {
  return {
    of: (agentId, entityId, { tag } = {}) => ask("relationships.of", agentId, entityId, tag?.toLowerCase() ?? null),
  };
}

function createTasks(ask: Call): Store["tasks"] {
  return {
    get: (agentId, id) => ask("tasks.get", agentId, id),
    list: (agentId, { limit, states = everyTaskState, kind, roomId, entityId }) =>
      ask("tasks.list", agentId, [states, kind ?? null, roomId ?? null, entityId ?? null, limit]),
  };
}

function createOutbox(ask: Call): Outbox {
  return {
    get: (agentId, key) => ask("outbox.get", agentId, key),
    list: (agentId, { states, limit, newestFirst, runId }) =>
      ask("outbox.list", agentId, states ?? null, limit, newestFirst ?? false, runId ?? null),
  };
}

function createKeyValues(ask: Call, change: Call, now: Now): KeyValues {
  return {
    get: (agentId, namespace, key) => ask("keyValues.get", agentId, namespace, key, now()),
    set: (agentId, namespace, key, { value, ifVersion, expiresAt }) =>
      change(
        "keyValues.set",
        agentId,
        namespace,
        key,
        value.toWellFormed(),
        ifVersion ?? null,
        expiresAt ?? null,
        now(),
      ),
    list: (agentId, namespace, { limit, after }) =>
      ask("keyValues.list", agentId, namespace, limit, after ?? null, now()),
    delete: (agentId, namespace, key) => change("keyValues.delete", agentId, namespace, key, now()),
    increment: (agentId, namespace, key, { amount, expiresAt }) =>
      change("keyValues.increment", agentId, namespace, key, amount, expiresAt ?? null, now()),
  };
}

function createJobs(ask: Call, change: Call, now: Now): Jobs {
  return {
    claim: (agentId, owner, { now: dueBy, limit, kinds }) =>
      change("jobs.claim", agentId, owner, dueBy, limit, kinds ?? null, now()),
    finish: async (fence, outcome) =>
      change("jobs.finish", encodeJobFence(fence), encodeJobOutcome(fence.id, outcome), now()),
    recover: (agentId) => change("jobs.recover", agentId, now()),
    nextAt: async (agentId) => new Map(await ask("jobs.nextAt", agentId)),
    list: (agentId, { states, limit }) => ask("jobs.list", agentId, states ?? null, limit),
    remove: (agentId, id) => change("jobs.remove", agentId, id, now()),
    revive: (agentId, id) => change("jobs.revive", agentId, id, now()),
  };
}

type Finding = Pick<StoreHealth, "problems" | "details">;

/** Damage met while looking is what was looked for. */
async function orProblem(otherwise: Finding, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    return { ...otherwise, problems: [error.message] };
  }
}

type AdminParts = {
  readonly ask: Call;
  readonly change: Call;
  readonly now: Now;
  readonly link: WorkerLink;
  readonly path: string;
  readonly readOnly: boolean;
};

function createAdmin({ ask, change, now, link, path, readOnly }: AdminParts): StoreAdmin {
  const tasks = new Set<Promise<unknown>>();
  const supervise = async <Result>(task: Promise<Result>): Promise<Result> => {
    tasks.add(task);
    try {
      return await task;
    } finally {
      tasks.delete(task);
    }
  };
  return {
    write: async (agentId, writes) =>
      change(
        "admin.write",
        agentId,
        writes.map((write) => encodeWrite(agentId, write)),
        now(),
      ),
    forget: async (agentId, forgetting) => {
      const forgotten = await change("admin.forget", agentId, forgetting, now());
      while (await change("admin.scrub"));
      for (let tries = 0; tries < settleTries && !(await change("admin.settle")); tries++);
      return forgotten;
    },
    health: async ({ deep = false } = {}): Promise<StoreHealth> => {
      const found = { details: {}, problems: [] };
      const look = await orProblem(found, async () => ({ ...found, details: await ask("admin.look") }));
      const pages = await orProblem(found, async () => ({ ...found, problems: await checkPages(deep) }));
      const space = await checkSpace(path);
      const problems = [...look.problems, ...pages.problems, ...space.problems];
      const details = { path, ...look.details, ...space.details };
      return { engine: "sqlite", ok: problems.length === 0, problems, details };
    },
    backup: async (toPath) => {
      if (path === inMemory) {
        throw new StoreError("invalid", "a store in memory has no file to copy; give the store a file");
      }
      await ask("admin.look");
      await supervise(runSideTask({ type: "backup", path, toPath: resolve(toPath) }));
    },
    close: async () => {
      await Promise.allSettled(tasks);
      await link.close();
    },
  };

  function checkPages(deep: boolean): Promise<readonly string[]> {
    return path === inMemory ? ask("admin.check", deep) : supervise(runSideTask({ type: "check", path, deep }));
  }

  async function checkSpace(of: string): Promise<Finding> {
    if (of === inMemory) return { problems: [], details: {} };
    const { bavail, bsize } = await statfs(dirname(of));
    const freeDiskBytes = bavail * bsize;
    const isLow = freeDiskBytes < lowDiskBytes && !readOnly;
    const problem = `the disk of ${of} has only ${Math.floor(freeDiskBytes / 2 ** 20)} MiB left; make room`;
    return { problems: isLow ? [problem] : [], details: { freeDiskBytes } };
  }
}
