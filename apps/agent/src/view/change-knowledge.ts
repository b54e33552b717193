import { resolve } from "node:path";
import type { Store } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { ConfigError, TroupeError } from "@troupe/core/errors";
import { printableLine, shortId } from "@troupe/core/explain";
import { sharedOwnerId, sourceKey, sourceName } from "@troupe/core/knowledge";
import { deriveAgentId } from "@troupe/core/memory";
import type { CommandContext } from "../commands/context.ts";
import { askAgent } from "../control/ask-agent.ts";
import { prepareHome } from "../home/home.ts";
import { holdHome } from "../home/lock.ts";
import { addKnowledge, removeKnowledge } from "../knowledge/change-knowledge.ts";
import { toSource } from "../knowledge/resolve-sources.ts";
import { openData } from "./data.ts";
import { type KnownDocument, ownersOf, readKnown } from "./known.ts";
import { findPlayers } from "./players.ts";
import { writeJson } from "./write.ts";

/** What `knowledge add` was told. */
export type AddFlags = { readonly shared?: boolean; readonly json?: boolean };

/** A large directory takes a while to be looked at. */
const patienceMs = 60_000;

/** Adds a file, a directory or a page to what one character knows, or all of them. */
export async function addToKnowledge(context: CommandContext, written: string, flags: AddFlags): Promise<void> {
  const shared = flags.shared === true;
  const source = toSource(written, { workingPath: context.config.workingPath, shared });
  const owner = shared ? { agentId: sharedOwnerId, name: "all characters" } : await oneCharacter(context);
  const request = { type: "knowledge.add", ownerId: owner.agentId, source } as const;
  const asked = await askAgent(context.home.socketPath, request, { timeoutMs: patienceMs });
  const { isNew, isReading } =
    asked.type === "answered"
      ? asked.answer
      : await inStore(context, "knowledge add", (store) => addKnowledge(request, { store, knowing: null }));
  const key = sourceKey(source);
  if (flags.json) return writeJson(context, { key, character: shared ? null : owner.name, isNew, isReading });
  const what = printableLine(sourceName(source));
  const when = isReading ? "it is being read: troupe knowledge list" : "it is read when the agent runs: npm start";
  context.out.write(`${isNew ? `${what} is added for ${owner.name}` : `${what} was added before`}; ${when}\n`);
}

/** The character that is meant when nothing else is said. */
async function oneCharacter(context: CommandContext): Promise<{ readonly agentId: string; readonly name: string }> {
  if ((context.flags.character ?? []).length > 0) return only(await findPlayers(context));
  const loaded = await context.loadCharacters();
  return only(
    loaded.flatMap(({ reading }) =>
      reading.ok ? [{ agentId: deriveAgentId(reading.character), name: reading.character.name }] : [],
    ),
  );
}

function only<Player extends { readonly name: string }>(players: readonly Player[]): Player {
  const [first, ...others] = players;
  if (first && others.length === 0) return first;
  if (!first) throw new ConfigError("not_found", "there is no usable character; name one with --character FILE");
  const names = players.map(({ name }) => name).join(", ");
  throw new ConfigError("invalid", `say for whom: --character with one of ${names}, or --shared for all of them`);
}

/** Takes out what was added by hand. */
export async function removeFromKnowledge(
  context: CommandContext,
  wanted: string,
  flags: { readonly json?: boolean },
): Promise<void> {
  const { key, ownerId, source } = await findAdded(context, wanted.trim());
  const request = { type: "knowledge.remove", ownerId, key } as const;
  const asked = await askAgent(context.home.socketPath, request, { timeoutMs: patienceMs });
  if (asked.type === "not-running") {
    await inStore(context, "knowledge remove", (store) => removeKnowledge(request, { store, knowing: null }));
  }
  if (flags.json) return writeJson(context, { key, source, isForgotten: true });
  context.out.write(`${printableLine(source)} is taken out, and what it said is forgotten\n`);
}

/** @throws TroupeError `not_found`, or `invalid` when it is not one thing that was added by hand. */
async function findAdded(context: CommandContext, wanted: string): Promise<KnownDocument> {
  const { store, players } = await openData(context);
  const lists = await Promise.all(ownersOf(players).map((owner) => readKnown(store, owner)));
  const found = lists.flat().filter((one) => isMeant(one, wanted, context.config.workingPath));
  const shown = printableLine(wanted).slice(0, 200);
  const [first, ...others] = found;
  if (!first)
    throw new TroupeError("not_found", `Nothing known is called ${shown}; list it with: troupe knowledge list`);
  if (others.length > 0) {
    const list = found.map(
      ({ record, player, source }) => `\n  ${record ? shortId(record.id) : "–"}  ${player?.name ?? "all"}, ${source}`,
    );
    throw new TroupeError("invalid", `Several are called ${shown}; write more of the id of one:${list.join("")}`);
  }
  const { record, isAdded, player, source } = first;
  if (record?.path !== undefined) {
    const directory = record.sourceKey.slice("directory:".length);
    throw new TroupeError(
      "invalid",
      `${source} belongs to the directory ${directory}; delete the file, or remove the directory.`,
    );
  }
  if (!isAdded) {
    const whose = player ? `in ${player.name}'s character file` : "in a character file, as shared";
    throw new TroupeError("invalid", `${source} stands ${whose} under "knowledge"; take it out there.`);
  }
  return first;
}

function isMeant({ record, source, key }: KnownDocument, wanted: string, workingPath: string): boolean {
  const lower = wanted.toLowerCase();
  if (record && lower.length >= 4 && record.id.startsWith(lower)) return true;
  if (source === wanted || key === wanted) return true;
  return !/^https?:/iu.test(wanted) && /[\\/.]/u.test(wanted) && source === resolve(workingPath, wanted);
}

/** Changes the data itself, which nobody else may hold then. @throws ConfigError when somebody holds the home. */
async function inStore<Value>(
  { home, log }: CommandContext,
  command: string,
  work: (store: Store) => Promise<Value>,
): Promise<Value> {
  prepareHome(home);
  const startedAt = new Date(systemClock.now()).toISOString();
  const lock = holdHome(home, { pid: process.pid, startedAt, characters: [], command });
  try {
    const { createSqliteStore } = await import("@troupe/store");
    const store = await createSqliteStore({ path: home.databasePath, log });
    try {
      return await work(store);
    } finally {
      await store.admin.close();
    }
  } finally {
    lock.release();
  }
}
