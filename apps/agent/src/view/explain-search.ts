import type { Memory, SearchQuery } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { errorMessage, TroupeError } from "@troupe/core/errors";
import { printableLine, shortId, writerOf } from "@troupe/core/explain";
import { silentLog } from "@troupe/core/log";
import { embeddedTypes, type Recalled, recall } from "@troupe/core/recall";
import { createModels, createOfflineModel } from "@troupe/models";
import type { CommandContext } from "../commands/context.ts";
import { modelSettings } from "../model-settings.ts";
import { characterColumn, type Data, findRooms, openData, roomNames, roomOf } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import type { MemoriesFlags } from "./memories.ts";
import type { Player } from "./players.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

type ExplainedMemory = { readonly player: Player; readonly found: Recalled; readonly room: string };

/** How long the meaning of the question is waited for. */
const patienceMs = 10_000;

/** Searches as a character recalls, by words and by meaning, and says for each memory why it came. */
export async function explainSearch(context: CommandContext, text: string, flags: MemoriesFlags): Promise<void> {
  if (text.trim() === "") throw new TroupeError("invalid", "There is nothing to search for; write a word.");
  const data = await openData(context);
  const rooms = flags.room === undefined ? null : await findRooms(data, flags.room);
  const places =
    rooms?.map(({ player, row }) => ({ player, scope: { roomIds: [row.room.id] } })) ??
    data.players.map((player) => ({ player }));
  const lists = await Promise.all(
    places.map((place) => searchOne(context, data, { ...place, text, limit: flags.limit })),
  );
  const rows = lists.flatMap((list) => list.rows).toSorted((left, right) => right.found.score - left.found.score);
  const shown = rows.slice(0, flags.limit);
  if (flags.json === true) return writeJson(context, shown.map(toJson));
  const empty = `Nothing remembered has anything to do with "${printableLine(text).slice(0, 80)}".`;
  writeTable(context, columns(shown), { rows: shown, empty });
  for (const note of new Set(lists.flatMap(({ note }) => note ?? []))) context.err.write(`! ${printableLine(note)}\n`);
}

type Search = {
  readonly player: Player;
  readonly text: string;
  readonly limit: number;
  readonly scope?: NonNullable<SearchQuery["scope"]>;
};
type Listed = { readonly rows: readonly ExplainedMemory[]; readonly note?: string };

async function searchOne(context: CommandContext, { store }: Data, { player, ...query }: Search): Promise<Listed> {
  const { agentId } = player;
  // Somebody asks for it once and waits: the model is tried whatever happened before.
  const health = { well: () => undefined, ill: () => undefined, isTrusted: () => true };
  const model = embeddingModelOf(context, player);
  const parts = { agentId, store, model, health, clock: systemClock, log: silentLog, timeoutMs: patienceMs };
  const { found, withoutVectors } = await recall(
    { ...query, types: embeddedTypes },
    parts,
    new AbortController().signal,
  );
  const names = await roomNames(
    store,
    player,
    found.map(({ memory }) => memory.roomId),
  );
  const rows = found.map((one) => ({ player, found: one, room: roomOf(one.memory, names) }));
  return { rows, ...(withoutVectors !== undefined && { note: withoutVectors }) };
}

/** The model a character recalls with; null, with a note, where there is none. */
export function embeddingModelOf({ config, err }: CommandContext, { character, name }: Player) {
  try {
    const parts = { offline: createOfflineModel, clock: systemClock, random: Math.random };
    return createModels(modelSettings(config, character), parts).models.TEXT_EMBEDDING ?? null;
  } catch (error) {
    err.write(`! ${name}: ${errorMessage(error)}; searched by words alone\n`);
    return null;
  }
}

function columns(rows: readonly ExplainedMemory[]): readonly Column<ExplainedMemory>[] {
  return [
    { heading: "memory", text: ({ found }) => shortId(found.memory.id) },
    { heading: "score", text: ({ found }) => found.score.toFixed(4), isNumber: true },
    { heading: "words", text: ({ found }) => rankText(found.why.text?.rank), isNumber: true },
    { heading: "meaning", text: ({ found }) => meaningText(found) },
    { heading: "new", text: ({ found }) => `${Math.round(found.why.recency * 100)} %`, isNumber: true },
    { heading: "weight", text: ({ found }) => found.why.salience.toFixed(2), isNumber: true, isMinor: true },
    { heading: "kind", text: ({ found }) => found.memory.type, isMinor: true },
    { heading: "when", text: ({ found }) => formatLocalTime(found.memory.createdAt), isMinor: true },
    ...characterColumn(rows),
    { heading: "room", text: ({ room }) => room, leastWidth: 6, isMinor: true },
    { heading: "who", text: ({ player, found }) => whose(found.memory, player), leastWidth: 6, isMinor: true },
    { heading: "text", text: ({ found }) => found.memory.content.text.slice(0, 500).toWellFormed(), leastWidth: 20 },
  ];
}

const whose = (memory: Memory, player: Player): string => writerOf(memory, player.name) ?? "somebody";
const rankText = (rank: number | undefined): string => (rank === undefined ? "–" : `${rank}.`);

function meaningText({ why }: Recalled): string {
  return why.vector ? `${why.vector.rank}. (${why.vector.similarity.toFixed(2)})` : "–";
}

function toJson({ player, found, room }: ExplainedMemory): unknown {
  const { memory, score, why } = found;
  return { character: player.name, room, score, why, memory };
}
