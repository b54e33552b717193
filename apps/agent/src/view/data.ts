import type { Memory, RoomRow, RunRow, Store } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { type ExplainedRun, explainRun, memoriesOf, partsOf, shortId } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { findPlayers, type Player } from "./players.ts";
import type { Column } from "./table.ts";

/** What a reading command works with. */
export type Data = { readonly store: Store; readonly players: readonly Player[] };

/** Opens the home's data for reading, for the characters the command is about. */
export async function openData(context: CommandContext): Promise<Data> {
  const [players, store] = await Promise.all([findPlayers(context), context.openStoreReadOnly()]);
  return { store, players };
}

/** A run and whose it is. */
export type PlayerRun = { readonly player: Player; readonly run: RunRow };

/** A room and whose it is. */
export type PlayerRoom = { readonly player: Player; readonly row: RoomRow };

/** Reads everything a run's account needs. */
export async function readRun(store: Store, { player, run }: PlayerRun): Promise<ExplainedRun> {
  const { agentId, name } = player;
  const entries = await store.journal.entries(agentId, run.id);
  const [parts, memories, deliveries, own] = await Promise.all([
    store.journal.parts(agentId, partsOf(entries)),
    store.memories.get(agentId, memoriesOf(entries)),
    store.outbox.list(agentId, { runId: run.id, limit: 1_000 }),
    store.rooms.room(agentId, run.contextId),
  ]);
  // A run within a run has a context of its own; where it speaks, its message says.
  const room = own ?? (memories[0] ? await store.rooms.room(agentId, memories[0].roomId) : null);
  return explainRun({ run, entries, parts, memories, deliveries, agentName: name, room });
}

/** The newest runs of all characters, newest first. */
export async function newestRuns(
  { store, players }: Data,
  query: { readonly limit: number; readonly rooms?: readonly PlayerRoom[] },
): Promise<readonly PlayerRun[]> {
  const { limit, rooms } = query;
  const places = rooms
    ? rooms.map(({ player, row }) => ({ player, contextId: row.room.id }))
    : players.map((player) => ({ player }));
  const lists = await Promise.all(
    places.map(async ({ player, ...context }) => {
      const runs = await store.journal.runs(player.agentId, { limit, ...context });
      return runs.map((run) => ({ player, run }));
    }),
  );
  return lists
    .flat()
    .sort((a, b) => b.run.startedAt - a.run.startedAt)
    .slice(0, limit);
}

const longestScan = 10_000;

/**
 * A run by its id, an unambiguous beginning of it, or `last`.
 * @throws TroupeError `not_found` or `invalid`, naming runs it may be.
 */
export async function findRun(data: Data, wanted: string): Promise<PlayerRun> {
  if (wanted === "last") {
    const [newest] = await newestRuns(data, { limit: 1 });
    if (newest) return newest;
    throw new TroupeError("not_found", "There are no runs yet; say something with: npm start");
  }
  const whole = wanted.length === 36 ? await exactRun(data, wanted) : null;
  if (whole) return whole;
  const all = await newestRuns(data, { limit: longestScan });
  const found = wanted === "" ? [] : all.filter(({ run }) => run.id.startsWith(wanted.toLowerCase()));
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  if (only) {
    throw new TroupeError("invalid", `Several runs begin with ${wanted}; write more of one of them:${listRuns(found)}`);
  }
  const known = all.length === 0 ? " There are none yet." : ` The newest are:${listRuns(all)}`;
  throw new TroupeError("not_found", `There is no run ${wanted.slice(0, 80)}.${known}`);
}

async function exactRun({ store, players }: Data, id: string): Promise<PlayerRun | null> {
  for (const player of players) {
    const run = await store.journal.run(player.agentId, id);
    if (run) return { player, run };
  }
  return null;
}

const shownCandidates = 5;

function listRuns(runs: readonly PlayerRun[]): string {
  const shown = runs.slice(0, shownCandidates).map(({ player, run }) => {
    return `\n  ${run.id}  ${player.name}, ${run.outcome ?? "not ended"}`;
  });
  const more = runs.length - shown.length;
  return `${shown.join("")}${more > 0 ? `\n  and ${more} more: troupe runs` : ""}`;
}

const mostRooms = 1_000;

/** All rooms of all characters, lately used first. */
export async function allRooms({ store, players }: Data, limit = mostRooms): Promise<readonly PlayerRoom[]> {
  const lists = await Promise.all(
    players.map(async (player) => {
      const rows = await store.rooms.rooms(player.agentId, { limit });
      return rows.map((row) => ({ player, row }));
    }),
  );
  return lists.flat();
}

/**
 * The rooms a person means by an id, a beginning of one, a name or a platform's id; one for each character that knows it.
 * @throws TroupeError `not_found`, or `invalid` when one character knows several such rooms.
 */
export async function findRooms(data: Data, wanted: string): Promise<readonly PlayerRoom[]> {
  const all = await allRooms(data);
  const lower = wanted.trim().toLowerCase();
  const ways: readonly ((room: PlayerRoom) => boolean)[] = [
    ({ row: { room } }) => room.id === lower,
    ({ row: { room } }) => room.platformId === wanted || room.platformId.toLowerCase() === lower,
    ({ row: { room } }) =>
      room.name !== undefined && room.name.toLowerCase().replace(/^#/u, "") === lower.replace(/^#/u, ""),
    ({ row: { room } }) => lower.length >= 4 && room.id.startsWith(lower),
  ];
  for (const way of ways) {
    const found = all.filter(way);
    if (found.length === 0) continue;
    const agents = new Set(found.map(({ player }) => player.agentId));
    if (agents.size === found.length) return found;
    const list = found.map(
      ({ player, row }) => `\n  ${row.room.id}  ${nameOfRoom(row)} on ${row.room.platform}, ${player.name}`,
    );
    throw new TroupeError(
      "invalid",
      `Several rooms are called ${wanted}; write the id of one of them:${list.join("")}`,
    );
  }
  throw new TroupeError("not_found", `There is no room ${wanted.slice(0, 80)}; list them with: troupe memories rooms`);
}

/** What a room is called. */
export function nameOfRoom({ room }: RoomRow): string {
  return room.name ?? room.platformId;
}

/** The names of rooms by their ids. */
export async function roomNames(
  store: Store,
  player: Player,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await Promise.all([...new Set(ids)].map((id) => store.rooms.room(player.agentId, id)));
  return new Map(rows.flatMap((row) => (row ? [[row.room.id, nameOfRoom(row)] as const] : [])));
}

/** A message and whose memory it is in. */
export type PlayerMemory = { readonly player: Player; readonly memory: Memory };

/** Which room a memory was said in, in words. */
export function roomOf(memory: Memory, names: ReadonlyMap<string, string>): string {
  return names.get(memory.roomId) ?? shortId(memory.roomId);
}

/** The column that names characters, where rows are of more than one. */
export function characterColumn<Row extends { readonly player: Player }>(rows: readonly Row[]): readonly Column<Row>[] {
  const agents = new Set(rows.map(({ player }) => player.agentId));
  return agents.size > 1 ? [{ heading: "character", text: ({ player }) => player.name, leastWidth: 6 }] : [];
}
