import type { KnowledgeSource } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import { errorMessage, StoreError, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { FileList, FileStamp, KnowledgeAccess, PageMarks, ReadKnowledge } from "./knowledge-access.ts";
import type { KnowledgeRecord } from "./knowledge-record.ts";
import type { RecordPlace, Records } from "./records.ts";
import { sourceKey, sourceName } from "./source-key.ts";

/** What reading a source needs. */
export type ReadParts = {
  readonly records: Records;
  readonly access: KnowledgeAccess;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
};

/** A document on which the process died so often is given up until it changes. */
const mostBegun = 5;
/** A page is asked for again after a day. */
const pageMs = 24 * 60 * 60 * 1_000;
const progressEvery = 100;
const mostWarnings = 20;

/** Whether something of a source is to be read. Files are looked at, not read. */
export async function needsReading(
  source: KnowledgeSource,
  { records, access, clock }: ReadParts,
  signal: AbortSignal,
): Promise<boolean> {
  const known = await records.load();
  const record = known.get(sourceKey(source));
  if (!record || !isSettled(record)) return true;
  switch (source.kind) {
    case "text":
      return false;
    case "file":
      return !isStamp(record, await access.stamp(source.path));
    case "url":
      return clock.now() - record.checkedAt >= pageMs;
    case "directory": {
      const list = await listOrReason(source.directory, access, signal);
      if (typeof list === "string") return record.reason !== list;
      if (record.state === "failed") return true;
      const children = childrenOf(known, record.key);
      const changed = list.files.some((file) => !isUnchanged(children.get(file.path), file));
      return changed || children.size !== list.files.length || !isSame(record.warnings, warningsOf(list));
    }
  }
}

/**
 * Reads what is new or changed of a source, and forgets what is gone. Nothing unchanged is read.
 * @throws TroupeError when a page may be had later; StoreError; the signal's reason.
 */
export async function readSource(source: KnowledgeSource, parts: ReadParts, signal: AbortSignal): Promise<void> {
  const { records, access, clock, log } = parts;
  const key = sourceKey(source);
  const place: RecordPlace = { key, sourceKey: key, source: sourceName(source) };
  switch (source.kind) {
    case "text":
      return readOne(await records.open(place), { read: () => access.readText(source.text, signal) }, parts, signal);
    case "file": {
      const stamp = await access.stamp(source.path);
      const record = await records.open(place);
      if (stamp === null) return vanish(record, parts);
      if (isUnchanged(record, stamp)) return;
      return readOne(record, { stamp, read: () => access.readFile(source.path, signal) }, parts, signal);
    }
    case "url":
      return readPage(await records.open(place), source.url, parts, signal);
    case "directory": {
      const record = await records.open(place);
      const list = await listOrReason(source.directory, access, signal);
      if (typeof list === "string") {
        if (record.reason !== list)
          log.warn({ source: record.source, reason: list }, "a directory cannot be looked at");
        return records.save({ ...record, state: "failed", reason: list, checkedAt: clock.now() });
      }
      return readDirectory(record, list, parts, signal);
    }
  }
}

async function readDirectory(
  directory: KnowledgeRecord,
  list: FileList,
  parts: ReadParts,
  signal: AbortSignal,
): Promise<void> {
  const { records, access, clock, log } = parts;
  const children = childrenOf(await records.load(), directory.key);
  const present = new Set(list.files.map(({ path }) => path));
  const gone = [...children.values()].filter(({ path }) => !present.has(path ?? ""));
  for (const { source } of gone) log.warn({ source }, "a document is gone, and what it said is forgotten");
  await records.forget(gone);
  const changed = list.files.filter((file) => !isUnchanged(children.get(file.path), file));
  const { reason: _, ...kept } = directory;
  const record = { ...kept, files: list.files.length, warnings: warningsOf(list), checkedAt: clock.now() };
  if (!isSame(directory.warnings, record.warnings)) {
    for (const warning of record.warnings) log.warn({ source: directory.source }, warning);
  }
  await records.save({ ...record, state: "reading" });
  for (const [at, { path, absolutePath, ...stamp }] of changed.entries()) {
    signal.throwIfAborted();
    // It was taken out meanwhile.
    if (records.known()?.get(directory.key)?.id !== directory.id) return;
    if (at > 0 && at % progressEvery === 0) {
      log.info({ source: directory.source, done: at, of: changed.length }, "reading knowledge");
    }
    const key = `${directory.key}#${path}`;
    const child = await records.open({ key, sourceKey: directory.key, source: absolutePath, path });
    await readOne(child, { stamp, read: () => access.readFile(absolutePath, signal) }, parts, signal);
  }
  await records.save({ ...record, state: "read" });
  const left = [...childrenOf(await records.load(), directory.key).values()];
  const count = { documents: left.length, failed: left.filter(({ state }) => state === "failed").length };
  log.info({ source: directory.source, ...count }, "knowledge read");
}

type Reading = { readonly stamp?: FileStamp; readonly read: () => Promise<ReadKnowledge> };

/** Reads one document; that it cannot be read is its own affair and told once. */
async function readOne(
  before: KnowledgeRecord,
  { stamp, read }: Reading,
  parts: ReadParts,
  signal: AbortSignal,
): Promise<void> {
  const { records, clock } = parts;
  const marks = stamp && { sizeBytes: stamp.sizeBytes, modifiedAtMs: stamp.modifiedAtMs };
  const isKnownStamp = stamp === undefined || isStamp(before, stamp);
  const begun = isKnownStamp ? before.begun + 1 : 1;
  const record = { ...before, ...marks, begun, attempt: before.attempt + 1, checkedAt: clock.now() };
  if (begun > mostBegun) {
    const reason = `the process ended ${mostBegun} times while it was read; it is read again when it changes`;
    return fail({ ...record, begun: 0 }, { before, reason }, parts);
  }
  await records.save(reading(record));
  let knowledge: ReadKnowledge;
  try {
    knowledge = await read();
  } catch (error) {
    if (signal.aborted) {
      await records.save({ ...record, begun: before.begun, state: "waiting" });
      throw error;
    }
    return fail({ ...record, begun: 0 }, { before, reason: errorMessage(error) }, parts);
  }
  signal.throwIfAborted();
  await keep({ ...record, begun: 0 }, { before, knowledge }, parts);
}

async function readPage(before: KnowledgeRecord, url: string, parts: ReadParts, signal: AbortSignal): Promise<void> {
  const { records, access, clock } = parts;
  const record = { ...before, attempt: before.attempt + 1, checkedAt: clock.now(), begun: 0 };
  await records.save(reading(record));
  try {
    const page = await access.readPage(url, marksOf(before), signal);
    if (page.type === "unchanged") return await records.save({ ...record, state: "read" });
    const { etag: _, lastModified: __, ...kept } = record;
    await keep({ ...kept, ...marksIn(page) }, { before, knowledge: page.knowledge }, parts);
  } catch (error) {
    if (signal.aborted) await records.save({ ...before, state: before.fragments > 0 ? "read" : "waiting" });
    else if (error instanceof TroupeError && !(error instanceof StoreError)) {
      await failPage(record, { before, error }, parts);
      return;
    }
    throw error;
  }
}

/** @throws the error when it may pass: then the page is asked for again. */
async function failPage(
  record: KnowledgeRecord,
  { before, error }: { readonly before: KnowledgeRecord; readonly error: TroupeError },
  parts: ReadParts,
): Promise<void> {
  const mayPass = error.code === "unavailable" || error.code === "timeout";
  // What it said the last time is kept until it can be asked again.
  if (mayPass && before.fragments > 0) {
    await parts.records.save({ ...record, state: "read", warnings: [error.message] });
  } else {
    await fail(record, { before, reason: error.message }, parts);
  }
  if (mayPass) throw error;
}

/** What was not kept whole the last time has to be sent whole. */
function marksOf(record: KnowledgeRecord): PageMarks {
  return record.state === "read" ? marksIn(record) : {};
}

function marksIn({ etag, lastModified }: PageMarks): PageMarks {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

/** Without a hash: what stands of a document that is being read may be half the old one and half the new. */
function reading({ hash: _, ...record }: KnowledgeRecord): KnowledgeRecord {
  return { ...record, state: "reading" };
}

type Outcome = { readonly before: KnowledgeRecord; readonly knowledge: ReadKnowledge };

async function keep(record: KnowledgeRecord, { before, knowledge }: Outcome, parts: ReadParts): Promise<void> {
  const { records, log } = parts;
  const { reason: _, warnings: __, title: ___, ...kept } = record;
  const { title, mediaType, hash, warnings } = knowledge;
  const read: KnowledgeRecord = {
    ...kept,
    ...{ state: "read", mediaType, hash },
    ...(title !== undefined && { title }),
    ...(warnings.length > 0 && { warnings: warnings.slice(0, mostWarnings) }),
  };
  if (before.hash === hash && before.fragments > 0 && before.title === title) return records.save(read);
  const { fragments } = await records.saveRead(read, knowledge);
  // A directory tells of its documents together.
  if (record.path === undefined) log.info({ source: record.source, fragments }, "knowledge read");
}

type Failure = { readonly before: KnowledgeRecord; readonly reason: string };

/** What a document said before it became unreadable is not what it says now. */
async function fail(record: KnowledgeRecord, { before, reason }: Failure, parts: ReadParts): Promise<void> {
  const { hash: _, ...kept } = record;
  if (before.reason !== reason) parts.log.warn({ source: record.source, reason }, "a document cannot be read");
  await parts.records.saveWithout({ ...kept, state: "failed", reason });
}

async function vanish(record: KnowledgeRecord, parts: ReadParts): Promise<void> {
  const reason = "it does not exist; put it back, or take it out of what the character knows";
  if (record.fragments > 0) {
    parts.log.warn({ source: record.source }, "a document is gone, and what it said is forgotten");
  } else if (record.reason !== reason) {
    parts.log.warn({ source: record.source, reason }, "a document cannot be read");
  }
  const { hash: _, sizeBytes: __, modifiedAtMs: ___, ...kept } = record;
  await parts.records.saveWithout({ ...kept, state: "failed", reason, checkedAt: parts.clock.now() });
}

function isSettled({ state }: KnowledgeRecord): boolean {
  return state === "read" || state === "failed";
}

function isUnchanged(record: KnowledgeRecord | undefined, stamp: FileStamp): boolean {
  return record !== undefined && isSettled(record) && isStamp(record, stamp);
}

function isStamp({ sizeBytes, modifiedAtMs }: KnowledgeRecord, stamp: FileStamp | null): boolean {
  return sizeBytes === stamp?.sizeBytes && modifiedAtMs === stamp?.modifiedAtMs;
}

function childrenOf(
  records: ReadonlyMap<string, KnowledgeRecord>,
  directoryKey: string,
): ReadonlyMap<string, KnowledgeRecord> {
  const children = [...records.values()].filter(
    ({ key, sourceKey }) => sourceKey === directoryKey && key !== sourceKey,
  );
  return new Map(children.map((record) => [record.path ?? "", record]));
}

/** A directory's list, or why it cannot be had. */
async function listOrReason(
  directory: string,
  access: KnowledgeAccess,
  signal: AbortSignal,
): Promise<FileList | string> {
  try {
    return await access.list(directory, signal);
  } catch (error) {
    signal.throwIfAborted();
    return errorMessage(error);
  }
}

function warningsOf({ skipped }: FileList): string[] {
  const told = skipped.slice(0, mostWarnings).map(({ path, reason }) => `${path} ${reason}`);
  const more = skipped.length - told.length;
  return more > 0 ? [...told, `and ${more} more files are passed over`] : told;
}

function isSame(left: readonly string[] = [], right: readonly string[] = []): boolean {
  return left.length === right.length && left.every((one, at) => one === right[at]);
}
