import type { DatabaseSync } from "node:sqlite";
import type { EmbeddingsSql } from "./embeddings-sql.ts";
import { createForgetJournal } from "./forget-journal-sql.ts";
import { createForgetRest } from "./forget-rest-sql.ts";
import { createMentions, createNaming, type Mentions } from "./forget-text.ts";
import type { JobsSql } from "./jobs-sql.ts";
import type { MovedRooms } from "./moved-rooms-sql.ts";
import type { Participants } from "./participants-sql.ts";
import type { Operations, Results } from "./protocol.ts";
import type { SearchSql } from "./search-sql.ts";
import { prepare } from "./statement.ts";

type Forgetting = Operations["admin.forget"][1];
type Forgotten = Results["admin.forget"];

/** Forgets within the caller's transaction; see the contract. */
export type Forget = (agent: number, forgetting: Forgetting, now: number) => Forgotten;

/** Everything that is to go, by what it is called and by what it says. */
export type Doomed = {
  readonly forgetting: Forgetting;
  readonly memories: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  /** What the room is and was called, when a room is forgotten. */
  readonly roomNames: readonly string[];
  /** The name of who is forgotten, if there is one. */
  readonly called: readonly string[];
  /** Whether a text says what was forgotten, or names who is. */
  readonly mentions: Mentions;
  /** The same, and what we answered. */
  readonly mentionsAnswers: Mentions;
  /** Whether a text names an id of what is forgotten. */
  readonly names: Mentions;
};

/** What forgetting has to do with. */
export type ForgetTables = {
  readonly moved: MovedRooms;
  readonly search: SearchSql;
  readonly embeddings: EmbeddingsSql;
  readonly participants: Participants;
  readonly jobs: JobsSql;
};

type Row = readonly [
  no: number,
  id: string,
  type: string,
  runId: string | null,
  text: string,
  content: string,
  metadata: string | null,
  inputRun: string | null,
];

/** Forgetting in one database. */
export function createForget(database: DatabaseSync, tables: ForgetTables): Forget {
  const collect = createCollect(database, tables.moved);
  const journal = createForgetJournal(database);
  const rest = createForgetRest(database, tables);
  const deleteMemory = prepare(database, "delete from memory where no = ?");
  const deleteRows = (agent: number, rows: Iterable<Row>): Pick<Forgotten, "memories" | "facts" | "embeddings"> => {
    const counts = { memories: 0, facts: 0, embeddings: 0 };
    for (const [no, , type] of rows) {
      tables.search.removed(no);
      counts.embeddings += tables.embeddings.removed(agent, no);
      deleteMemory.run(no);
      if (type === "fact") counts.facts += 1;
      else counts.memories += 1;
    }
    return counts;
  };
  return (agent, forgetting, now) => {
    const { doomed, rows } = collect(agent, forgetting);
    const { parts, runs } = journal(agent, doomed);
    const counts = rest(agent, doomed, now);
    const gone = deleteRows(agent, rows);
    tables.search.forgot();
    tables.embeddings.forget();
    tables.participants.forget();
    return { ...gone, ...counts, parts, runs };
  };
}

function createCollect(database: DatabaseSync, moved: MovedRooms) {
  const columns = `select m.no, m.id, m.type, m.run_id, m.text, m.content, m.metadata,
    (select i.run_id from inbox i where i.no = m.inbox_no) from memory m where m.agent = ?`;
  const ofEntity = prepare<Row>(
    database,
    `${columns} and (m.entity_id = ? or (m.type = 'fact' and json_extract(m.metadata, '$.subjectId') = ?))`,
  );
  const byId = prepare<Row>(database, `${columns} and m.id in (select value from json_each(?))`);
  const ofRoom = prepare<Row>(database, `${columns} and m.room_id = ?`);
  const answers = prepare<Row>(
    database,
    `${columns} and m.type = 'message' and m.run_id in (select value from json_each(?))`,
  );
  const derived = prepare<Row>(database, `${columns} and m.type in ('fact', 'summary', 'episode')`);
  const openInputs = prepare<readonly [string, string]>(
    database,
    `select j.run_id, j.body from run r cross join journal j indexed by journal_run on j.agent = r.agent and j.run_id = r.id
     where r.agent = ? and r.ended_at is null`,
  );
  const runsOf = prepare<readonly [string]>(
    database,
    "select id from run where agent = ? and context_id in (select value from json_each(?))",
  );
  const nameOf = prepare<readonly [string]>(database, "select name from entity where agent = ? and id = ?");

  const asked = (agent: number, forgetting: Forgetting): readonly Row[] => {
    switch (forgetting.type) {
      case "entity":
        return ofEntity.all(agent, forgetting.entityId, forgetting.entityId);
      case "memories":
        return byId.all(agent, JSON.stringify(forgetting.ids));
      case "room":
        return ofRoom.all(agent, moved.now(agent, forgetting.roomId));
    }
  };
  const runsAnswering = (agent: number, rows: readonly Row[]): Set<string> => {
    const runs = new Set(rows.flatMap((row) => row[7] ?? []));
    const ids = new Set(rows.map(([, id]) => id));
    for (const [runId, body] of openInputs.all(agent)) {
      if (inputsOf(body).some((id) => ids.has(id))) runs.add(runId);
    }
    return runs;
  };

  return (agent: number, forgetting: Forgetting): { readonly doomed: Doomed; readonly rows: readonly Row[] } => {
    const first = asked(agent, forgetting);
    const room = forgetting.type === "room" ? moved.now(agent, forgetting.roomId) : null;
    const roomNames = room === null ? [] : moved.names(agent, room);
    const runs = runsAnswering(agent, first);
    for (const [id] of runsOf.all(agent, JSON.stringify(roomNames))) runs.add(id);
    const said = new Map(first.map((row) => [row[0], row]));
    const replies = answers.all(agent, JSON.stringify([...runs])).filter(([no]) => !said.has(no));
    const sources = new Set([...first, ...replies].map(([, id]) => id));
    addDerived(said, sources, derived.all(agent));
    const own = first.filter(([, , type, runId]) => type === "message" && runId !== null);
    for (const [, , , runId] of own) if (runId !== null) runs.add(runId);
    const entityId = forgetting.type === "entity" ? forgetting.entityId : null;
    const names = entityId === null ? [] : nameOf.all(agent, entityId).map(([name]) => name);
    const texts = [...said.values()].flatMap(textsOf);
    const memories = new Set([...said.values(), ...replies].map(([, id]) => id));
    const doomed: Doomed = {
      forgetting,
      memories,
      runs,
      roomNames,
      called: names,
      mentions: createMentions(texts, names),
      mentionsAnswers: createMentions([...texts, ...replies.flatMap(textsOf)], names),
      names: createNaming([...memories, ...runs, ...(entityId === null ? [] : [entityId])]),
    };
    return { doomed, rows: [...said.values(), ...replies] };
  };
}

/** Facts, summaries and episodes made of what goes, and what was made of those again. */
function addDerived(said: Map<number, Row>, sources: Set<string>, candidates: readonly Row[]): void {
  for (let before = -1; before !== said.size; ) {
    before = said.size;
    for (const row of candidates) {
      if (said.has(row[0]) || !isMadeOf(row[6], sources)) continue;
      said.set(row[0], row);
      sources.add(row[1]);
    }
  }
}

function isMadeOf(metadata: string | null, sources: ReadonlySet<string>): boolean {
  if (metadata === null) return false;
  const { sourceMemoryId, sourceIds }: Readonly<Record<string, unknown>> = JSON.parse(metadata);
  return [sourceMemoryId, sourceIds].flat().some((id) => typeof id === "string" && sources.has(id));
}

function inputsOf(body: string): readonly string[] {
  if (!body.includes('"input"')) return [];
  const { type, inputs }: { type?: string; inputs?: readonly { readonly memoryId: string }[] } = JSON.parse(body);
  return type === "input" ? (inputs ?? []).map(({ memoryId }) => memoryId) : [];
}

type Told = {
  readonly thought?: string;
  readonly attachments?: readonly { readonly url?: string; readonly title?: string; readonly description?: string }[];
  readonly command?: { readonly parameters?: Readonly<Record<string, unknown>> };
};

/** Everything a memory says in words. */
function textsOf([, , , , text, content]: Row): readonly string[] {
  const { thought, attachments = [], command }: Told = JSON.parse(content);
  const shown = attachments.flatMap(({ url, title, description }) => [url, title, description]);
  const parameters = Object.values(command?.parameters ?? {});
  return [text, thought, ...shown, ...parameters].filter((one) => typeof one === "string");
}
