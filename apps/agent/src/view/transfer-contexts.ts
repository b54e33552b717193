import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Store } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { storedContexts } from "@troupe/core/context";
import { exportLines, type Imported, importLines } from "@troupe/core/episode";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import { printableLine } from "@troupe/core/explain";
import type { CommandContext } from "../commands/context.ts";
import { prepareHome } from "../home/home.ts";
import { holdHome } from "../home/lock.ts";
import { type Data, openData } from "./data.ts";
import { findPlayers, type Player } from "./players.ts";
import { writeJson } from "./write.ts";

/** What `contexts export` was told. */
export type ExportFlags = { readonly type?: string; readonly episodes: boolean };

/** What `contexts import` was told. */
export type ImportFlags = { readonly replace?: boolean; readonly json?: boolean };

/** Writes states and episodes of one character to a file that did not exist, or to standard output. */
export async function exportContexts(
  context: CommandContext,
  written: string | undefined,
  { type, episodes }: ExportFlags,
): Promise<void> {
  const data = await openData(context);
  const player = await whose(data);
  const choice = { withEpisodes: episodes, ...(type !== undefined && { contextType: type }) };
  const lines = exportLines({ agentId: player.agentId, store: data.store, clock: systemClock }, choice);
  if (written === undefined) {
    for await (const line of lines) context.out.write(line);
    return;
  }
  const path = resolve(context.config.workingPath, written);
  const count = await writeLines(path, lines);
  context.out.write(`${player.name}: ${count} lines are written to ${printableLine(path)}\n`);
}

/** What people said may be in it: only its owner may read it. @throws ConfigError when the file is there, or cannot be made. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  const file = await openNew(path);
  let count = 0;
  try {
    for await (const line of lines) {
      await file.write(line);
      count += 1;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return count;
}

async function openNew(path: string): ReturnType<typeof open> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    const why = isThere ? "it exists already; name another file" : errorMessage(error);
    throw new ConfigError("invalid", `${path} cannot be written: ${why}`, { cause: error });
  }
}

/** The character that has something to export. @throws ConfigError when several have. */
async function whose({ store, players }: Data): Promise<Player> {
  const [only, ...others] = players;
  if (only && others.length === 0) return only;
  const having: Player[] = [];
  for (const player of players) if (await hasAny(store, player)) having.push(player);
  return one(having.length === 0 ? players : having);
}

async function hasAny(store: Store, { agentId }: Player): Promise<boolean> {
  const [episode] = await store.memories.list(agentId, { types: ["episode"], limit: 1 });
  if (episode) return true;
  for await (const _ of storedContexts(agentId, store.keyValues)) return true;
  return false;
}

function one(players: readonly Player[]): Player {
  const [first, ...others] = players;
  if (first && others.length === 0) return first;
  const names = players.map(({ name }) => name).join(", ");
  throw new ConfigError("invalid", `say for whom: --character with one of ${names}`);
}

/** Takes what was exported into the data, which nobody else may hold then. @throws ConfigError when somebody holds the home. */
export async function importContexts(context: CommandContext, written: string, flags: ImportFlags): Promise<void> {
  const player = one(await findPlayers(context));
  const file = await openExisting(resolve(context.config.workingPath, written));
  let imported: Imported;
  try {
    const isReplacing = flags.replace === true;
    imported = await inStore(context, (store) =>
      // Lines come from the moment they are asked for; nobody may wait between that and reading them.
      importLines(file.readLines({ encoding: "utf8" }), { agentId: player.agentId, store, isReplacing }),
    );
  } finally {
    await file.close();
  }
  if (imported.failed > 0) context.setExitCode(1);
  if (flags.json) return writeJson(context, { ...imported, character: player.name });
  context.out.write(report(player, imported));
}

async function openExisting(path: string): ReturnType<typeof open> {
  try {
    return await open(path, "r");
  } catch (error) {
    throw new ConfigError("not_found", `${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

function report({ name }: Player, { contexts, episodes, known, failed, problems }: Imported): string {
  const there = known > 0 ? `; ${known} were there already` : "";
  const head = `${name}: ${contexts} contexts and ${episodes} episodes are taken${there}\n`;
  if (failed === 0) return head;
  const lines = problems.map(({ line, problem }) => `  line ${line}: ${printableLine(problem)}\n`).join("");
  const more = failed > problems.length ? `  and ${failed - problems.length} more\n` : "";
  return `${head}${failed} lines could not be taken:\n${lines}${more}`;
}

async function inStore<Value>({ home, log }: CommandContext, work: (store: Store) => Promise<Value>): Promise<Value> {
  prepareHome(home);
  const startedAt = new Date(systemClock.now()).toISOString();
  const lock = holdHome(home, { pid: process.pid, startedAt, characters: [], command: "contexts import" });
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
