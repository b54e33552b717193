import { systemClock } from "@troupe/core/clock";
import { TroupeError } from "@troupe/core/errors";
import { formatCount, printableLine, shortId } from "@troupe/core/explain";
import { citation, describePlace, type FoundFragment, findKnowledge, sharedOwnerId } from "@troupe/core/knowledge";
import { silentLog } from "@troupe/core/log";
import type { CommandContext } from "../commands/context.ts";
import { type Data, openData } from "./data.ts";
import { embeddingModelOf } from "./explain-search.ts";
import { type KnownDocument, ownersOf, readKnown } from "./known.ts";
import type { Player } from "./players.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `knowledge list` was told. */
export type KnowledgeFlags = { readonly limit: number; readonly json?: boolean };

/** What `knowledge search` was told. */
export type SearchKnowledgeFlags = KnowledgeFlags & { readonly explain?: boolean };

const nothingKnown =
  'No documents yet. Add one with: troupe knowledge add PATH, or name it in the character file: "knowledge": [{ "path": "…" }]';

/** Lists what is known, how far it is read, and what cannot be read. */
export async function listKnowledge(context: CommandContext, flags: KnowledgeFlags): Promise<void> {
  const { store, players } = await openData(context);
  const lists = await Promise.all(ownersOf(players).map((owner) => readKnown(store, owner)));
  const all = lists.flat();
  const rows = all.slice(0, flags.limit);
  if (flags.json) return writeJson(context, rows.map(toJson));
  const columns: readonly Column<KnownDocument>[] = [
    { heading: "id", text: ({ record }) => (record ? shortId(record.id) : "–") },
    { heading: "state", text: ({ record }) => record?.state ?? "waiting" },
    { heading: "fragments", text: (row) => formatCount(fragmentsOf(row, all)), isNumber: true },
    { heading: "whose", text: ({ player }) => player?.name ?? "all", leastWidth: 6, isMinor: true },
    { heading: "source", text: sourceText, leastWidth: 16 },
    { heading: "about", text: (row) => aboutText(row, all), leastWidth: 20 },
  ];
  writeTable(context, columns, { rows, empty: nothingKnown });
  if (all.length > rows.length) {
    context.out.write(`${formatCount(all.length - rows.length)} more: troupe knowledge list --limit ${all.length}\n`);
  }
}

/** The files of a directory stand behind it, by their way below it. */
function sourceText({ record, source }: KnownDocument): string {
  return record?.path === undefined ? source : `  ${record.path}`;
}

function childrenOf({ key, ownerId }: KnownDocument, all: readonly KnownDocument[]): readonly KnownDocument[] {
  return all.filter(
    ({ record, ownerId: other }) => other === ownerId && record?.sourceKey === key && record.key !== key,
  );
}

function fragmentsOf(row: KnownDocument, all: readonly KnownDocument[]): number {
  if (row.record?.files === undefined) return row.record?.fragments ?? 0;
  return childrenOf(row, all).reduce((sum, { record }) => sum + (record?.fragments ?? 0), 0);
}

function aboutText(row: KnownDocument, all: readonly KnownDocument[]): string {
  const { record, isAdded } = row;
  if (!record) return "added; read when the agent runs: npm start";
  const { reason, title, warnings, files } = record;
  if (reason !== undefined) return reason;
  const told = [title, ...(warnings ?? [])].flatMap((one) => one ?? []);
  if (files !== undefined) {
    const children = childrenOf(row, all);
    const count = (state: string): number => children.filter((child) => child.record?.state === state).length;
    const failed = count("failed");
    told.unshift(`${count("read")} of ${files} files read${failed > 0 ? `, ${failed} cannot be` : ""}`);
  }
  if (record.path === undefined && isAdded) told.push("added by hand");
  return told.join("; ");
}

function toJson({ record, player, key, source, isAdded }: KnownDocument): unknown {
  const { id = null, state = "waiting", ...rest } = record ?? {};
  return { id, character: player?.name ?? null, isShared: player === null, key, source, state, isAdded, ...rest };
}

type FoundRow = { readonly found: FoundFragment; readonly player: Player };

/** Finds fragments of documents; what all characters know is looked at once. */
export async function searchKnowledge(
  context: CommandContext,
  text: string,
  flags: SearchKnowledgeFlags,
): Promise<void> {
  if (text.trim() === "") throw new TroupeError("invalid", "There is nothing to search for; write a word.");
  const data = await openData(context);
  const notes = new Set<string>();
  const lists = await Promise.all(
    data.players.map(async (player): Promise<readonly FoundRow[]> => {
      const { found, withoutVectors } = await searchOne(context, data, { player, text, flags });
      if (withoutVectors !== undefined) notes.add(withoutVectors);
      return found.map((one) => ({ found: one, player }));
    }),
  );
  const ranked = lists.flat().toSorted((left, right) => right.found.score - left.found.score);
  const unique = [...new Map(ranked.map((row) => [row.found.memory.id, row])).values()];
  const rows = unique.slice(0, flags.limit);
  if (flags.json)
    return writeJson(
      context,
      rows.map((row) => foundToJson(row, flags.explain === true)),
    );
  const empty = `Nothing known has anything to do with "${printableLine(text).slice(0, 80)}".`;
  writeTable(context, searchColumns(rows, flags.explain === true), { rows, empty });
  if (flags.explain) for (const note of notes) context.err.write(`! ${printableLine(note)}\n`);
}

const patienceMs = 10_000;

type Search = { readonly player: Player; readonly text: string; readonly flags: SearchKnowledgeFlags };

function searchOne(context: CommandContext, { store }: Data, { player, text, flags }: Search) {
  // Somebody asks for it once and waits: the model is tried whatever happened before.
  const health = { well: () => undefined, ill: () => undefined, isTrusted: () => true };
  const model = flags.explain ? embeddingModelOf(context, player) : null;
  const parts = {
    ...{ agentId: player.agentId, store, model, health },
    ...{ clock: systemClock, log: silentLog, timeoutMs: patienceMs },
  };
  return findKnowledge({ text, limit: flags.limit }, parts, new AbortController().signal);
}

function searchColumns(rows: readonly FoundRow[], isExplained: boolean): readonly Column<FoundRow>[] {
  const why: readonly Column<FoundRow>[] = [
    { heading: "score", text: ({ found }) => found.score.toFixed(4), isNumber: true },
    { heading: "words", text: ({ found }) => rankText(found.why.text?.rank), isNumber: true },
    {
      heading: "meaning",
      text: ({ found: { why } }) => (why.vector ? `${why.vector.rank}. (${why.vector.similarity.toFixed(2)})` : "–"),
    },
  ];
  const owners = new Set(rows.map(ownerName));
  return [
    { heading: "fragment", text: ({ found }) => shortId(found.memory.id) },
    ...(isExplained ? why : []),
    ...(owners.size > 1 ? [{ heading: "whose", text: ownerName, leastWidth: 6 }] : []),
    { heading: "where", text: ({ found }) => citation(found), leastWidth: 16 },
    { heading: "text", text: ({ found }) => found.text.slice(0, 500).toWellFormed(), leastWidth: 20 },
  ];
}

const rankText = (rank: number | undefined): string => (rank === undefined ? "–" : `${rank}.`);
const ownerName = ({ found, player }: FoundRow): string =>
  found.memory.agentId === sharedOwnerId ? "all" : player.name;

function foundToJson({ found, player }: FoundRow, isExplained: boolean): unknown {
  const { memory, fragment, text, score, why, isShared } = found;
  const { documentId, source, title, place } = fragment;
  return {
    ...{ id: memory.id, documentId, character: isShared ? null : player.name, isShared, source },
    ...{ title: title ?? null, place, where: describePlace(place), text },
    ...(isExplained && { score, why }),
  };
}
