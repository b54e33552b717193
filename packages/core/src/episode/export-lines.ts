import type { Clock } from "../clock.ts";
import { storedContexts } from "../context/stored-contexts.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store } from "../store/store.ts";
import { type TransferLine, transferVersion } from "./transfer-lines.ts";

/** What is exported, and with what. */
export type ExportParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "keyValues" | "memories" | "rooms">;
  readonly clock: Pick<Clock, "now">;
};

/** Which contexts; all when nothing is said. */
export type ExportChoice = {
  /** Contexts of one type only, with the episodes in them. */
  readonly contextType?: string;
  /** False: states alone. */
  readonly withEpisodes?: boolean;
};

const page = 200;

/**
 * The contexts of an agent and its episodes as lines of JSON, each with its end of line; as much is read at a time as is asked for.
 * Rooms and people stand before the episodes in which they occur.
 */
export async function* exportLines(parts: ExportParts, choice: ExportChoice = {}): AsyncGenerator<string> {
  const { agentId, clock } = parts;
  yield toLine({ type: "troupe-contexts", version: transferVersion, agentId, exportedAt: clock.now() });
  const contexts = new Set<string>();
  for await (const context of contextsOf(parts, choice.contextType)) {
    contexts.add(context.contextId);
    yield toLine(context);
  }
  if (choice.withEpisodes === false) return;
  const told = new Set<string>();
  for await (const memory of episodesOf(parts)) {
    const inContext = memory.metadata?.["contextId"];
    if (choice.contextType !== undefined && !contexts.has(String(inContext))) continue;
    for (const line of await surroundingsOf(memory, told, parts)) yield toLine(line);
    const { roomId, entityId, runId = "", content, createdAt, metadata = {} } = memory;
    yield toLine({ type: "episode", episode: { runId, roomId, entityId, text: content.text, createdAt, metadata } });
  }
}

function toLine(line: TransferLine): string {
  return `${JSON.stringify(line)}\n`;
}

async function* contextsOf(
  { agentId, store }: ExportParts,
  wanted: string | undefined,
): AsyncGenerator<Extract<TransferLine, { type: "context" }>> {
  for await (const record of storedContexts(agentId, store.keyValues)) {
    const { id: contextId, type: contextType, key, args, state, createdAt, updatedAt } = record;
    if (wanted !== undefined && contextType !== wanted) continue;
    // It was read from JSON.
    const plain = { args: args as never, ...(state !== undefined && { state: state as never }) };
    yield { type: "context", contextId, contextType, key, ...plain, createdAt, updatedAt };
  }
}

async function* episodesOf({ agentId, store }: ExportParts): AsyncGenerator<Memory> {
  for (let before: string | undefined; ; ) {
    const query = { types: ["episode"], limit: page, ...(before !== undefined && { before }) } as const;
    const rows = await store.memories.list(agentId, query);
    yield* rows.filter(({ runId }) => runId !== undefined);
    before = rows.at(-1)?.id;
    if (rows.length < page) return;
  }
}

/** The room and the person of an episode, each told once. */
async function surroundingsOf(
  { roomId, entityId }: Memory,
  told: Set<string>,
  { agentId, store }: ExportParts,
): Promise<readonly TransferLine[]> {
  const isNew = (id: string): boolean => !told.has(id) && Boolean(told.add(id));
  const row = isNew(roomId) ? await store.rooms.room(agentId, roomId) : null;
  const people = isNew(entityId) ? await store.rooms.entities(agentId, [entityId]) : [];
  return [
    ...(row?.world && isNew(row.world.id) ? [{ type: "world", world: row.world } as const] : []),
    ...(row ? [{ type: "room", room: row.room } as const] : []),
    ...people.map((entity) => ({ type: "entity", entity }) as const),
  ];
}
