import type { Memory } from "@troupe/core";
import { type ContextView, storedContexts, toView } from "@troupe/core/context";
import { TroupeError } from "@troupe/core/errors";
import { printable, printableLine, shortId } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { characterColumn, type Data, openData } from "./data.ts";
import { formatLocalTime } from "./local-time.ts";
import type { Player } from "./players.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

/** What `contexts list` was told. */
export type ContextsFlags = { readonly limit: number; readonly type?: string; readonly json?: boolean };

/** A context and whose it is. */
type PlayerContext = { readonly player: Player; readonly context: ContextView };

/** Lists contexts, lately changed first. */
export async function listContexts(context: CommandContext, flags: ContextsFlags): Promise<void> {
  const all = await readContexts(await openData(context), flags.type);
  const rows = all.slice(0, flags.limit);
  if (flags.json) return writeJson(context, rows.map(toJson));
  const which = flags.type === undefined ? "" : ` of type ${printableLine(flags.type)}`;
  writeTable(context, columnsFor(rows), { rows, empty: `There are no contexts${which}.` });
}

async function readContexts({ store, players }: Data, type?: string): Promise<readonly PlayerContext[]> {
  const rows: PlayerContext[] = [];
  for (const player of players) {
    for await (const record of storedContexts(player.agentId, store.keyValues)) {
      if (type === undefined || record.type === type) rows.push({ player, context: toView(record) });
    }
  }
  return rows.sort((left, right) => right.context.updatedAt - left.context.updatedAt);
}

function toJson({ player, context }: PlayerContext): unknown {
  return { ...context, character: player.name };
}

function columnsFor(rows: readonly PlayerContext[]): readonly Column<PlayerContext>[] {
  return [
    { heading: "context", text: ({ context }) => shortId(context.contextId) },
    { heading: "changed", text: ({ context }) => formatLocalTime(context.updatedAt) },
    ...characterColumn(rows),
    { heading: "type", text: ({ context }) => context.type, leastWidth: 6 },
    { heading: "key", text: ({ context }) => context.key, leastWidth: 12 },
    { heading: "state", text: ({ context }) => stateInShort(context), leastWidth: 12, isMinor: true },
  ];
}

const shownState = 200;

function stateInShort({ state }: ContextView): string {
  return state === null ? "" : JSON.stringify(state).slice(0, shownState);
}

const shownEpisodes = 5;

/** Prints one context whole. */
export async function showContext(
  context: CommandContext,
  wanted: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const data = await openData(context);
  const found = await findContext(data, wanted.trim());
  const { player, context: shown } = found;
  const query = { types: ["episode"], limit: shownEpisodes, scope: { roomIds: [shown.contextId] } } as const;
  const episodes = await data.store.memories.list(player.agentId, query);
  if (flags.json) return writeJson(context, { ...(toJson(found) as object), episodes });
  const lines: readonly (readonly [name: string, value: string])[] = [
    ["context", shown.contextId],
    ["type", shown.type],
    ["key", shown.key],
    ["character", player.name],
    ["created", formatLocalTime(shown.createdAt)],
    ["changed", formatLocalTime(shown.updatedAt)],
  ];
  const head = lines.map(([name, value]) => `${name.padEnd(10)} ${printableLine(value)}\n`).join("");
  const state = shown.state === null ? "" : `\nstate\n${printable(JSON.stringify(shown.state, null, 2))}\n`;
  context.out.write(`${head}${state}${episodes.map(episodeText).join("")}`);
}

function episodeText({ createdAt, content }: Memory): string {
  return `\n${formatLocalTime(createdAt)}\n${printable(content.text)}\n`;
}

const shownCandidates = 5;

/** @throws TroupeError `not_found` or `invalid`, naming contexts it may be. */
async function findContext(data: Data, wanted: string): Promise<PlayerContext> {
  const all = await readContexts(data);
  const lower = wanted.toLowerCase();
  const ways: readonly ((one: ContextView) => boolean)[] = [
    ({ contextId }) => contextId === lower,
    ({ type, key }) => `${type}/${key}` === wanted,
    ({ key }) => key === wanted,
    ({ contextId }) => lower.length >= 4 && contextId.startsWith(lower),
    ({ type }) => type === wanted,
  ];
  const shown = printableLine(wanted).slice(0, 120);
  for (const way of ways) {
    const found = wanted === "" ? [] : all.filter(({ context }) => way(context));
    const [only, ...others] = found;
    if (only && others.length === 0) return only;
    if (only)
      throw new TroupeError("invalid", `Several contexts are called ${shown}; write the id of one:${listed(found)}`);
  }
  const known = all.length === 0 ? " There are none yet." : ` There are:${listed(all)}`;
  throw new TroupeError("not_found", `There is no context ${shown}.${known}`);
}

function listed(contexts: readonly PlayerContext[]): string {
  const shown = contexts.slice(0, shownCandidates).map(({ player, context: { contextId, type, key } }) => {
    return `\n  ${contextId}  ${player.name}: ${printableLine(`${type}/${key}`)}`;
  });
  const more = contexts.length - shown.length;
  return `${shown.join("")}${more > 0 ? `\n  and ${more} more: troupe contexts` : ""}`;
}
