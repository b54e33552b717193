import { contextPlatform } from "../context/context-client.ts";
import { type ContextRecord, contextNamespace } from "../context/context-record.ts";
import { contextIdOf } from "../context/context-ref.ts";
import { problemText } from "../context/zod-reading.ts";
import { ValidationError } from "../errors.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { episodeId } from "./episode.ts";
import { type TransferLine, transferLine } from "./transfer-lines.ts";

/** Into what is imported. */
export type ImportParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "keyValues" | "memories" | "rooms" | "admin">;
  /** True: a context that is there already is replaced; else it stays as it is. */
  readonly isReplacing?: boolean;
};

/** What became of the lines. */
export type Imported = {
  readonly contexts: number;
  readonly episodes: number;
  /** Contexts and episodes that were there already. */
  readonly known: number;
  /** Lines that could not be taken, the first 20, counted from 1. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  readonly failed: number;
};

const problemsTold = 20;

/** What was read so far. */
type Reading = {
  /** The agent that was exported; null before the head. */
  exporter: string | null;
  /** Ids of contexts there, by those they had. */
  readonly ids: Map<string, string>;
  contexts: number;
  episodes: number;
  known: number;
  failed: number;
  readonly problems: { line: number; problem: string }[];
};

/**
 * Takes what `exportLines` gave, also into another agent: ids that depend on the agent are derived anew. A line that cannot be read
 * is told by its number, and the others are taken. Done again it changes nothing.
 * @throws ValidationError when the first line says that it is no such export; StoreError when something cannot be kept.
 */
export async function importLines(
  lines: AsyncIterable<string> | Iterable<string>,
  parts: ImportParts,
): Promise<Imported> {
  const reading: Reading = {
    exporter: null,
    ids: new Map(),
    contexts: 0,
    episodes: 0,
    known: 0,
    failed: 0,
    problems: [],
  };
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    const read = readLine(text);
    if (reading.exporter === null && (typeof read === "string" || read.type !== "troupe-contexts")) {
      const why = typeof read === "string" ? read : "it does not begin with a head";
      throw new ValidationError(`This is no export of contexts: ${why}. Make one with: troupe contexts export`);
    }
    const problem = typeof read === "string" ? read : await take(read, reading, parts);
    if (problem === null) continue;
    reading.failed += 1;
    if (reading.problems.length < problemsTold) reading.problems.push({ line: number, problem });
  }
  if (reading.exporter === null) throw new ValidationError("There is nothing to import: the file is empty.");
  const { contexts, episodes, known, problems, failed } = reading;
  return { contexts, episodes, known, problems, failed };
}

/** The line, or what is wrong with it. */
function readLine(text: string): TransferLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return "it is no JSON";
    throw error;
  }
  const read = transferLine.safeParse(value);
  return read.success ? read.data : problemText(read.error);
}

/** Takes one line; what is wrong with it, or null. */
async function take(line: TransferLine, reading: Reading, parts: ImportParts): Promise<string | null> {
  const { agentId, store } = parts;
  switch (line.type) {
    case "troupe-contexts":
      reading.exporter = line.agentId;
      return null;
    case "context":
      return takeContext(line, reading, parts);
    case "world":
      await store.admin.write(agentId, [{ type: "world.put", world: line.world }]);
      return null;
    case "room": {
      const room = { ...line.room, id: here(line.room.id, reading, parts) };
      if (room.platform === contextPlatform && room.id === line.room.id && reading.exporter !== agentId) {
        return "it is the room of a context that is not in the export";
      }
      // What is known of a room here is newer.
      if (!(await store.rooms.room(agentId, room.id))) await store.admin.write(agentId, [{ type: "room.put", room }]);
      return null;
    }
    case "entity": {
      const entity = { ...line.entity, id: here(line.entity.id, reading, parts) };
      const [known] = await store.rooms.entities(agentId, [entity.id]);
      if (!known) await store.admin.write(agentId, [{ type: "entity.put", entity }]);
      return null;
    }
    case "episode":
      return takeEpisode(line, reading, parts);
  }
}

/** An id as it is for this agent. */
function here(id: string, { ids, exporter }: Reading, { agentId }: ImportParts): string {
  return id === exporter ? agentId : (ids.get(id) ?? id);
}

async function takeContext(
  line: Extract<TransferLine, { type: "context" }>,
  reading: Reading,
  { agentId, store, isReplacing = false }: ImportParts,
): Promise<null> {
  const { contextId, contextType: type, key, args, state, createdAt, updatedAt } = line;
  const id = contextIdOf(agentId, type, key);
  reading.ids.set(contextId, id);
  const record: ContextRecord = {
    type,
    key,
    args,
    ...(state !== undefined && { state }),
    done: [],
    createdAt,
    updatedAt,
  };
  const put = { value: JSON.stringify(record), ...(!isReplacing && { ifVersion: 0 }) };
  if (await store.keyValues.set(agentId, contextNamespace, id, put)) reading.contexts += 1;
  else reading.known += 1;
  return null;
}

async function takeEpisode(
  { episode }: Extract<TransferLine, { type: "episode" }>,
  reading: Reading,
  parts: ImportParts,
): Promise<string | null> {
  const { agentId, store } = parts;
  const { runId, text, createdAt, metadata } = episode;
  const id = episodeId(agentId, runId);
  const [known] = await store.memories.get(agentId, [id]);
  if (known) {
    reading.known += 1;
    return null;
  }
  const roomId = here(episode.roomId, reading, parts);
  if (!(await store.rooms.room(agentId, roomId)))
    return "it is an episode in a room that is not known; export it with its rooms";
  const contextId = metadata["contextId"];
  const memory: Memory = {
    id,
    agentId,
    roomId,
    entityId: here(episode.entityId, reading, parts),
    type: "episode",
    content: { text },
    createdAt,
    runId,
    metadata: { ...metadata, ...(typeof contextId === "string" && { contextId: here(contextId, reading, parts) }) },
  };
  const write: Write = { type: "memory.put", memory };
  await store.admin.write(agentId, [write]);
  reading.episodes += 1;
  return null;
}
