import type { KnowledgeSource } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { Log } from "../log.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Store } from "../store/store.ts";
import type { KnowledgeAccess } from "./knowledge-access.ts";
import type { KnowledgeRecord } from "./knowledge-record.ts";
import { needsReading, readSource } from "./read-source.ts";
import { createRecords } from "./records.ts";
import { sourceKey, sourceName } from "./source-key.ts";

/** The parts of a library. */
export type LibraryParts = {
  /** An agent, or the one who owns what all agents know. */
  readonly ownerId: string;
  readonly store: Pick<Store, "memories" | "keyValues" | "admin" | "jobs">;
  readonly access: KnowledgeAccess;
  readonly clock: Clock;
  readonly log: Log;
  /** What it is to know, now. */
  readonly sources: () => Promise<readonly KnowledgeSource[]>;
  readonly wakeJobs: () => void;
  /** Something was read. */
  readonly onRead: (sourceKey: string) => void;
};

/**
 * What one owner knows: it looks which sources changed, and reads those in durable jobs, one after the other, beside everything
 * else. Looking is cheap: files are not opened.
 */
export type Library = {
  /** Looks once, in the background of everything; what is no longer named is forgotten. @throws the signal's reason. */
  check(signal: AbortSignal): Promise<void>;
  readonly job: JobHandler;
  /** False when there certainly is nothing to find. */
  mayKnow(): boolean;
};

/** Jobs of this kind read a source. */
export const knowledgeKind = "knowledge";
const dayMs = 24 * 60 * 60 * 1_000;
const mostJobs = 10_000;

/** A library; it reads nothing before it is checked. */
export function createLibrary(parts: LibraryParts): Library {
  const { ownerId, store, clock, log, sources } = parts;
  const records = createRecords({ ownerId, store, now: () => clock.now() });
  const readParts = { records, access: parts.access, clock, log };
  let names: readonly KnowledgeSource[] | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let queued: Promise<void> | null = null;

  const forgetAll = async (isGone: (record: KnowledgeRecord) => boolean): Promise<void> => {
    const gone = [...(await records.load()).values()].filter(isGone);
    for (const { source } of gone.filter(({ key, sourceKey: own }) => key === own)) {
      log.info({ source }, "no longer named, and forgotten");
    }
    await records.forget(gone);
  };
  const check = async (signal: AbortSignal): Promise<void> => {
    const now = await sources();
    names = now;
    const keys = new Set(now.map(sourceKey));
    await forgetAll((record) => !keys.has(record.sourceKey));
    const planned = await plannedSources(parts);
    for (const source of now) {
      signal.throwIfAborted();
      if (planned.has(sourceKey(source)) || !(await needsReading(source, readParts, signal))) continue;
      const key = sourceKey(source);
      await records.open({ key, sourceKey: key, source: sourceName(source) });
      await plan(key, parts);
    }
    parts.wakeJobs();
  };

  return {
    check(signal) {
      // Whoever asks while one is waiting is answered by that one: it looks after they asked.
      if (queued !== null) return queued;
      const checked = last.then(() => {
        queued = null;
        return check(signal);
      });
      queued = checked;
      last = checked.catch(() => undefined);
      return checked;
    },
    mayKnow() {
      const known = records.known();
      if (known) return [...known.values()].some(({ fragments }) => fragments > 0);
      return names === null || names.length > 0;
    },
    job: {
      // A directory of thousands of files takes its time; what was read of it stays read whenever it is called off.
      isResumable: true,
      timeoutMs: dayMs,
      backoff: { initialMs: 10_000, multiplier: 6, maxMs: 3_600_000 },
      async run({ source: key }, signal) {
        const named = async () => (await sources()).find((one) => sourceKey(one) === key);
        const source = await named();
        if (!source) return;
        await readSource(source, readParts, signal);
        // It may have been taken out while it was read.
        if (!(await named())) await forgetAll((record) => record.sourceKey === key);
        parts.onRead(sourceKey(source));
      },
    },
  };
}

/** The sources for which a job waits, or is being done. */
async function plannedSources({ ownerId, store }: LibraryParts): Promise<ReadonlySet<unknown>> {
  const jobs = await store.jobs.list(ownerId, { states: ["waiting", "running"], limit: mostJobs });
  return new Set(jobs.filter(({ kind }) => kind === knowledgeKind).map(({ payload }) => payload["source"]));
}

async function plan(key: string, { ownerId, store, clock }: LibraryParts): Promise<void> {
  const number = await store.keyValues.increment(ownerId, "knowledge", "jobs", { amount: 1 });
  const id = deriveId("memory", ownerId, "knowledge-job", key, String(number));
  const job = { id, kind: knowledgeKind, payload: { source: key }, runAt: clock.now(), queue: knowledgeKind };
  await store.admin.write(ownerId, [{ type: "job.put", job }]);
}
