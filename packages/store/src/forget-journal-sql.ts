import type { DatabaseSync } from "node:sqlite";
import type { Doomed } from "./forget-sql.ts";
import { prepare } from "./statement.ts";

/** What stands where a text stood. */
export const tombstone = "forgotten";

/** Takes texts out of journals; how many parts became tombstones and how many runs can no longer be replayed. */
export type ForgetJournal = (agent: number, doomed: Doomed) => { readonly parts: number; readonly runs: number };

type Entry = readonly [contextId: string, seq: number, runId: string, body: string];
type Found = { readonly marked: Set<string>; readonly theirs: Set<string>; readonly others: Set<string> };
type Part = readonly [no: number, hash: string, text: string];

const readAtOnce = 1000;

/** Forgetting in the journal of one database. Reads all of it: texts stand where nobody can know beforehand. */
export function createForgetJournal(database: DatabaseSync): ForgetJournal {
  const parts = prepare<Part>(
    database,
    `select rowid, hash, text from part where rowid > ? and +agent = ? and text is not null order by rowid limit ${readAtOnce}`,
  );
  const entries = prepare<Entry>(
    database,
    `select context_id, seq, run_id, body from journal
     where agent = ? and (context_id, seq) > (?, ?) order by context_id, seq limit ${readAtOnce}`,
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

  /** Rewrites what says too much; which runs that is, and which parts runs that go and runs that stay refer to. */
  const rewriteAll = (agent: number, doomed: Doomed, buried: ReadonlySet<string>): Found => {
    const found: Found = { marked: new Set(doomed.runs), theirs: new Set(), others: new Set() };
    for (const [contextId, seq, runId, body] of allEntries(agent)) {
      const isTheirs = doomed.runs.has(runId) || doomed.roomNames.includes(contextId);
      const hashes = partsOf(body);
      for (const hash of hashes) (isTheirs ? found.theirs : found.others).add(hash);
      const isSpoken = isTheirs || (mayHoldText(body) && doomed.mentions(body));
      if (isSpoken) rewrite.run(withoutTexts(body), agent, contextId, seq);
      if (isSpoken || hashes.some((hash) => buried.has(hash))) found.marked.add(runId);
    }
    return found;
  };

  return (agent, doomed) => {
    const buried = new Set<string>();
    for (const [, hash, text] of allParts(agent)) if (doomed.mentionsAnswers(text)) buried.add(hash);
    const { marked, theirs, others } = rewriteAll(agent, doomed, buried);
    for (const hash of theirs) if (!others.has(hash)) buried.add(hash);
    return {
      parts: [...buried].reduce((sum, hash) => sum + bury.run(agent, hash), 0),
      runs: [...marked].reduce((sum, id) => sum + mark.run(agent, id), 0),
    };
  };
}

const partHash = /"part":"([^"]+)"/g;
const textless = /"type":"(?:input|prompt|output|action_started|model_used)"/;

function partsOf(body: string): readonly string[] {
  return body.includes('"part":') ? [...body.matchAll(partHash)].flatMap(([, hash]) => hash ?? []) : [];
}

function mayHoldText(body: string): boolean {
  return !textless.test(body.slice(0, 200));
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
