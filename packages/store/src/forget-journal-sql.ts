import type { DatabaseSync } from "node:sqlite";
import type { Doomed } from "./forget-sql.ts";
import { prepare } from "./statement.ts";

/** What stands where a text stood. */
export const tombstone = "forgotten";

/** Takes texts out of journals; how many parts became tombstones and how many runs can no longer be replayed. */
export type ForgetJournal = (agent: number, doomed: Doomed) => { readonly parts: number; readonly runs: number };

type Entry = readonly [contextId: string, seq: number, runId: string, body: string];
type Found = { readonly runs: Set<string>; readonly parts: Set<string> };
type Part = readonly [no: number, hash: string, text: string];

const readAtOnce = 1000;
/** Entries of these kinds hold neither a text nor a part; what is left out here is not even read. */
const mayMatter = ["input", "output", "action_started", "model_used"]
  .map((type) => `body not like '{"type":"${type}"%'`)
  .join(" and ");

/** Forgetting in the journal of one database. Reads all of it: texts stand where nobody can know beforehand. */
export function createForgetJournal(database: DatabaseSync): ForgetJournal {
  const parts = prepare<Part>(
    database,
    `select rowid, hash, text from part where rowid > ? and +agent = ? and text is not null order by rowid limit ${readAtOnce}`,
  );
  const entries = prepare<Entry>(
    database,
    `select context_id, seq, run_id, body from journal
     where agent = ? and (context_id, seq) > (?, ?) and ${mayMatter} order by context_id, seq limit ${readAtOnce}`,
  );
  const ofRun = prepare<Entry>(
    database,
    "select context_id, seq, run_id, body from journal indexed by journal_run where agent = ? and run_id = ?",
  );
  const ofContext = prepare<Entry>(
    database,
    "select context_id, seq, run_id, body from journal where agent = ? and context_id = ?",
  );
  const bury = prepare(database, "update part set text = null where agent = ? and hash = ? and text is not null");
  const rewrite = prepare(database, "update journal set body = ? where agent = ? and context_id = ? and seq = ?");
  const mark = prepare(
    database,
    `update run set forgotten = 1, reason = iif(reason is null, null, '${tombstone}')
     where agent = ? and id = ? and forgotten = 0`,
  );

  function* allParts(agent: number): Generator<Part> {
    let last = 0;
    for (let page = parts.all(last, agent); page.length > 0; page = parts.all(last, agent)) {
      yield* page;
      last = page.at(-1)?.[0] ?? last;
    }
  }
  function* allEntries(agent: number): Generator<Entry> {
    let place: readonly [string, number] = ["", -1];
    for (let page = entries.all(agent, ...place); page.length > 0; page = entries.all(agent, ...place)) {
      yield* page;
      const [contextId, seq] = page.at(-1) ?? ["", -1];
      place = [contextId, seq];
    }
  }

  /** Takes the texts out of everything the runs that go have written; which parts they refer to. */
  const rewriteTheirs = (agent: number, { runs, roomNames }: Doomed): Set<string> => {
    const theirs = new Set<string>();
    const rewriteOne = ([contextId, seq, , body]: Entry): void => {
      for (const hash of partsOf(body)) theirs.add(hash);
      rewrite.run(withoutTexts(body), agent, contextId, seq);
    };
    for (const id of runs) for (const entry of ofRun.all(agent, id)) rewriteOne(entry);
    for (const id of roomNames) for (const entry of ofContext.all(agent, id)) rewriteOne(entry);
    return theirs;
  };
  /** Does so with what others wrote when it says too much; which runs those are, and which of the parts they refer to. */
  const rewriteOthers = (agent: number, doomed: Doomed, spoken: ReadonlySet<string>): Found => {
    const found: Found = { runs: new Set(), parts: new Set() };
    for (const [contextId, seq, runId, body] of allEntries(agent)) {
      if (doomed.runs.has(runId) || doomed.roomNames.includes(contextId)) continue;
      const hashes = partsOf(body);
      for (const hash of hashes) found.parts.add(hash);
      if (hashes.some((hash) => spoken.has(hash))) found.runs.add(runId);
      if (isPrompt.test(body) || !doomed.mentions(body)) continue;
      rewrite.run(withoutTexts(body), agent, contextId, seq);
      found.runs.add(runId);
    }
    return found;
  };

  return (agent, doomed) => {
    if (doomed.memories.size + doomed.runs.size + doomed.called.length === 0) return { parts: 0, runs: 0 };
    const spoken = new Set<string>();
    for (const [, hash, text] of allParts(agent)) if (doomed.mentionsAnswers(text)) spoken.add(hash);
    const theirs = rewriteTheirs(agent, doomed);
    const others = rewriteOthers(agent, doomed, spoken);
    const alone = [...theirs].filter((hash) => !others.parts.has(hash));
    const count = (ids: Iterable<string>, one: (id: string) => number): number =>
      [...new Set(ids)].reduce((sum, id) => sum + one(id), 0);
    return {
      parts: count([...spoken, ...alone], (hash) => bury.run(agent, hash)),
      runs: count([...doomed.runs, ...others.runs], (id) => mark.run(agent, id)),
    };
  };
}

const isPrompt = /^\{"type":"prompt"/;
const partMember = '"part":"';

/** What an entry refers to. Looked for in its JSON, because there are very many of them. */
function partsOf(body: string): readonly string[] {
  const hashes: string[] = [];
  for (let at = body.indexOf(partMember); at >= 0; at = body.indexOf(partMember, at)) {
    at += partMember.length;
    hashes.push(body.slice(at, body.indexOf('"', at)));
  }
  return hashes;
}

/** What an entry keeps: names, numbers and what links it to others. Whatever else it says is taken for text. */
const keptMembers: ReadonlySet<string> = new Set(
  `type purpose model parts part finishReason usage plugin callId parentCallId name origin keywords refused kind deliveries
  key state platformId code where outcome rule decision inputs evaluator verdict`.split(/\s+/),
);

function withoutTexts(body: string): string {
  const members: Readonly<Record<string, unknown>> = JSON.parse(body);
  const kept = Object.entries(members).flatMap(([name, value]): [string, unknown][] => {
    if (keptMembers.has(name) || typeof value === "number" || typeof value === "boolean") return [[name, value]];
    if (name === "providers" && Array.isArray(value)) return [[name, value.map(withoutFailure)]];
    return name === "reason" || name === "message" ? [[name, tombstone]] : [];
  });
  return JSON.stringify(Object.fromEntries(kept));
}

function withoutFailure(provider: unknown): unknown {
  if (typeof provider !== "object" || provider === null || !("failed" in provider)) return provider;
  return { ...provider, failed: tombstone };
}
