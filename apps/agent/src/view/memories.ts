import type { Memory, SearchQuery } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { formatCount, printable, printableLine, shortId, writerOf } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import {
  allRooms,
  characterColumn,
  type Data,
  findRooms,
  nameOfRoom,
  openData,
  type PlayerMemory,
  type PlayerRoom,
  roomNames,
  roomOf,
} from "./data.ts";
import { type FoundMessage, findMessages } from "./find-message.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Player } from "./players.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `memories list` and `memories search` were told. */
export type MemoriesFlags = { readonly limit: number; readonly room?: string; readonly json?: boolean };

type ListedMemory = PlayerMemory & { readonly room: string };

/** Lists the newest messages, the newest last, as in a conversation. */
export async function listMemories(context: CommandContext, flags: MemoriesFlags): Promise<void> {
  const data = await openData(context);
  const rooms = flags.room === undefined ? await allRooms(data) : await findRooms(data, flags.room);
  const lists = await Promise.all(
    rooms.map(async ({ player, row }): Promise<readonly ListedMemory[]> => {
      const query = { roomId: row.room.id, limit: flags.limit };
      const memories = await data.store.memories.recent(player.agentId, query);
      return memories.map((memory) => ({ player, memory, room: nameOfRoom(row) }));
    }),
  );
  const rows = joinInTime(lists);
  write(context, { rows: rows.slice(-flags.limit), json: flags.json === true, empty: nothingHeard });
}

/** Puts rooms together by time; each keeps its own order, which need not be that of the platforms' clocks. */
function joinInTime(rooms: readonly (readonly ListedMemory[])[]): readonly ListedMemory[] {
  const timed = rooms.flatMap((room) => {
    let latest = Number.NEGATIVE_INFINITY;
    return room.map((row) => {
      latest = Math.max(latest, row.memory.createdAt);
      return { row, at: latest };
    });
  });
  return timed.sort((a, b) => a.at - b.at).map(({ row }) => row);
}

const nothingHeard = "Nothing is remembered yet. Say something with: npm start";

/** Finds what was said, in any script; the best first. */
export async function searchMemories(context: CommandContext, text: string, flags: MemoriesFlags): Promise<void> {
  if (text.trim() === "") throw new TroupeError("invalid", "There is nothing to search for; write a word.");
  const data = await openData(context);
  const rooms = flags.room === undefined ? null : await findRooms(data, flags.room);
  const places: readonly { readonly player: Player; readonly scope?: NonNullable<SearchQuery["scope"]> }[] =
    rooms?.map(({ player, row }) => ({ player, scope: { roomIds: [row.room.id] } })) ??
    data.players.map((player) => ({ player }));
  const lists = await Promise.all(
    places.map(async ({ player, ...place }) => {
      const hits = await data.store.memories.search(player.agentId, { text, limit: flags.limit, ...place });
      const memories = hits.map(({ memory }) => memory);
      const names = await roomNames(
        data.store,
        player,
        memories.map(({ roomId }) => roomId),
      );
      return memories.map((memory) => ({ player, memory, room: roomOf(memory, names) }));
    }),
  );
  // Scores hold within one character's answer only: the answers take turns.
  const turns = Math.max(0, ...lists.map(({ length }) => length));
  const rows = Array.from({ length: turns }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat();
  const empty = `Nothing remembered holds every word of "${printableLine(text).slice(0, 80)}". Try fewer words.`;
  write(context, { rows: rows.slice(0, flags.limit), json: flags.json === true, empty });
}

function write(
  context: CommandContext,
  { rows, json, empty }: { readonly rows: readonly ListedMemory[]; readonly json: boolean; readonly empty: string },
): void {
  if (json) return writeJson(context, rows.map(toJson));
  const columns: readonly Column<ListedMemory>[] = [
    { heading: "memory", text: ({ memory }) => shortId(memory.id) },
    { heading: "when", text: ({ memory }) => formatLocalTime(memory.createdAt) },
    ...characterColumn(rows),
    { heading: "room", text: ({ room }) => room, leastWidth: 6, isMinor: true },
    { heading: "who", text: ({ player, memory }) => writerOf(memory, player.name) ?? "somebody", leastWidth: 6 },
    { heading: "text", text: ({ memory }) => excerpt(memory), leastWidth: 20 },
  ];
  writeTable(context, columns, { rows, empty });
}

const shownCharacters = 500;

function excerpt({ content }: Memory): string {
  const count = content.attachments?.length ?? 0;
  const attachments = count > 0 ? ` [${formatCount(count)} attached]` : "";
  return `${content.text.slice(0, shownCharacters).toWellFormed()}${attachments}`;
}

function toJson({ player, memory, room }: ListedMemory): unknown {
  return { ...memory, character: player.name, room, from: writerOf(memory, player.name) ?? null };
}

/** Lists the rooms, lately used first. */
export async function listRooms(context: CommandContext, flags: Omit<MemoriesFlags, "room">): Promise<void> {
  const data = await openData(context);
  const rows = (await allRooms(data, flags.limit)).slice(0, flags.limit);
  if (flags.json) {
    return writeJson(
      context,
      rows.map(({ player, row }) => ({ ...row.room, stance: row.stance, world: row.world, character: player.name })),
    );
  }
  const columns: readonly Column<PlayerRoom>[] = [
    { heading: "room", text: ({ row }) => shortId(row.room.id) },
    { heading: "name", text: ({ row }) => nameOfRoom(row), leastWidth: 8 },
    ...characterColumn(rows),
    { heading: "platform", text: ({ row }) => row.room.platform },
    { heading: "id there", text: ({ row }) => row.room.platformId, leastWidth: 8, isMinor: true },
    { heading: "kind", text: ({ row }) => row.room.channelType },
    {
      heading: "world",
      text: ({ row }) => row.world?.name ?? row.world?.platformId ?? "",
      leastWidth: 6,
      isMinor: true,
    },
    { heading: "stance", text: ({ row }) => row.stance },
  ];
  writeTable(context, columns, { rows, empty: "No rooms yet: nobody said anything. Say something with: npm start" });
}

/** Prints one memory whole. */
export async function showMemory(
  context: CommandContext,
  wanted: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const data = await openData(context);
  const found = (await findMessages(data, wanted.trim())).filter(({ memory }) => memory !== null);
  if (found.length === 0) {
    throw new TroupeError(
      "not_found",
      `There is no memory ${printableLine(wanted).slice(0, 80)}; list them with: troupe memories list`,
    );
  }
  if (flags.json) return writeJson(context, found.length === 1 ? found[0]?.memory : found.map(({ memory }) => memory));
  const texts = await Promise.all(found.map((one) => describe(data, one)));
  context.out.write(texts.join("\n"));
}

async function describe({ store }: Data, { player, memory }: FoundMessage): Promise<string> {
  if (!memory) return "";
  const names = await roomNames(store, player, [memory.roomId]);
  const { content, metadata } = memory;
  const lines: readonly (readonly [name: string, value: string | undefined])[] = [
    ["memory", memory.id],
    ["character", player.name],
    ["type", memory.type],
    ["when", formatLocalTime(memory.createdAt)],
    ["room", `${roomOf(memory, names)} (${memory.roomId})`],
    ["who", `${writerOf(memory, player.name) ?? "somebody"} (${memory.entityId})`],
    ["platform id", memory.platformId],
    ["link", content.url],
    ["answers", content.inReplyTo],
    ["run", memory.runId],
    ["thought", content.thought],
    ["actions", content.actions?.join(", ")],
    ["keywords", content.keywords?.join(" ")],
    ["attached", content.attachments?.map(({ url, title }) => `${title ?? ""} ${url}`.trim()).join(", ")],
    ["metadata", metadata && JSON.stringify(metadata)],
  ];
  const head = lines.flatMap(([name, value]) => (value ? [`${name.padEnd(12)} ${printableLine(value)}\n`] : []));
  return `${head.join("")}\n${printable(content.text)}\n\nWhat became of it: troupe why ${shortId(memory.id)}\n`;
}
