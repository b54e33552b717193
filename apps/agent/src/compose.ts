import type { Agent, Character, Client, Command, Log, Plugin, Store } from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { systemClock } from "@troupe/core/clock";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import { deriveAgentId } from "@troupe/core/memory";
import { createModels, createOfflineModel, type ModelsDescription } from "@troupe/models";
import { createSqliteStore } from "@troupe/store";
import { type ChosenCharacter, chooseCharacters } from "./choose-characters.ts";
import type { CommandContext } from "./commands/context.ts";
import type { LogLevel } from "./config.ts";
import { guardClients } from "./guarded-clients.ts";
import { looseRights, prepareHome } from "./home/home.ts";
import { holdHome } from "./home/lock.ts";
import { createKnowing, type Knowing } from "./knowledge/knowing.ts";
import type { Life } from "./life.ts";
import { createLog, type ProgramLog } from "./log.ts";
import type { LogSink } from "./log-file.ts";
import { modelSettings } from "./model-settings.ts";
import { standardCapabilities } from "./standard-capabilities.ts";

/** A character that is about to work, before it has clients. */
export type Role = { readonly character: Character; readonly agentId: string; readonly models: ModelsDescription };

/** An agent, its clients, and what is known about its models. */
export type Player = Role & { readonly agent: Agent; readonly clients: readonly Client[] };

/** What differs between the commands that start agents. */
export type Plan = {
  /** How the command is called where the holder of a home is named. */
  readonly command: string;
  /** Where the log goes; opened once the home is there. */
  readonly openLogSink: () => LogSink;
  readonly usualLogLevel: LogLevel;
  /** Whether the characters are on the platforms they have credentials for. */
  readonly isOnPlatforms: boolean;
  /** Further clients of each agent, asked once for all, in the order of the roles. */
  readonly connect: (
    roles: readonly Role[],
    parts: { readonly log: Log; readonly commandsOf: (agentId: string) => readonly Command[] },
  ) => Promise<(role: Role) => readonly Client[]>;
  /** Called for each agent before it starts. */
  readonly listen: (player: Player) => void;
};

/** Agents at work. */
export type Troupe = { readonly players: readonly Player[]; readonly store: Store; readonly log: Log };

/** A stop takes a little longer than the time given to what is under way. */
export const usualGraceMs = 3_000;

/** Whoever awaits it hears of it. */
const ignored = (): void => undefined;

/**
 * Builds every part by hand, in order, and starts the agents; `life` closes them all in reverse order.
 * @throws ConfigError when no character can be used, the home cannot, or somebody else works in it; StoreError, ClientError.
 */
export async function startAgents(context: CommandContext, life: Life, plan: Plan): Promise<Troupe> {
  const { config, home } = context;
  const characters = chooseCharacters(await context.loadCharacters(), context.err);
  prepareHome(home);
  const names = characters.map(({ character }) => character.name);
  const startedAt = new Date(systemClock.now()).toISOString();
  const lock = holdHome(home, { pid: process.pid, startedAt, characters: names, command: plan.command });
  life.onClose("the home", () => lock.release());

  const programLog = createLog(plan.openLogSink(), config.logLevel ?? plan.usualLogLevel, config.secrets);
  life.onClose("the log", () => programLog.close());
  const { log } = programLog;
  const loose = looseRights(home);
  if (loose !== undefined) log.warn({}, loose);

  const thread = context.takeStoreThread();
  const opening = createSqliteStore({ path: home.databasePath, log, ...(thread && { thread }) });
  // What does not need the database is done while it is being opened.
  life.onClose("the database", () => opening.then((opened) => opened.admin.close(), ignored));
  opening.catch(ignored);
  const cast = await createCast(context, characters, programLog);
  const store = await opening;
  const agents = new Map<string, Agent>();
  const commandsOf = (agentId: string): readonly Command[] => agents.get(agentId)?.commands() ?? [];
  const whenReady = async (agentId: string): Promise<void> => agents.get(agentId)?.ready();
  const roles = cast.map(({ role }) => role);
  const clientsOf = await plan.connect(roles, { log, commandsOf });
  const onPlatforms = await clientsOnPlatforms(context, plan, { roles, log, store, commandsOf, whenReady });
  const owner = `${process.pid}-${startedAt}`;
  const { environment } = config;
  const allowPrivate = config.values.TROUPE_ALLOW_PRIVATE_URLS === true;
  const knowing = createKnowing({ store, clock: systemClock, log, owner, allowPrivate });
  const compose = async ({ role, path, models, plugins }: CastMember): Promise<Player> => {
    const { character } = role;
    const { TROUPE_RUN_TIMEOUT_MS: runTimeoutMs, TROUPE_MODEL_CONCURRENCY: modelConcurrency } = config.values;
    const defaults = {
      ...(runTimeoutMs !== undefined && { runTimeoutMs }),
      ...(modelConcurrency !== undefined && { modelConcurrency }),
    };
    const connected = [...clientsOf(role), ...(onPlatforms.get(role.agentId) ?? [])];
    const { clients, approvals } = await guardClients({ ...role, clients: connected, store, log });
    const capabilities = standardCapabilities({ ...role, path, clients, knowing, approvals });
    const parts = { character, store, models, clients, capabilities, plugins, environment, log, owner, defaults };
    const agent = createAgent({ ...parts, clock: systemClock, random: Math.random });
    agents.set(role.agentId, agent);
    return { ...role, clients, agent };
  };
  const players = await Promise.all(cast.map(compose));
  const graceMs = config.values.TROUPE_STOP_GRACE_MS ?? usualGraceMs;
  life.onClose("the agents", async () => void (await Promise.all(players.map(({ agent }) => agent.stop(graceMs)))));
  for (const player of players) plan.listen(player);
  await startAll(players, context);
  log.info({ characters: names, home: home.path }, "ready");
  openToCommands(life, home.socketPath, { players, store, log, knowing });
  return { players, store, log };
}

type Connecting = {
  readonly roles: readonly Role[];
  readonly log: Log;
  readonly store: Store;
  readonly commandsOf: (agentId: string) => readonly Command[];
  readonly whenReady: (agentId: string) => Promise<void>;
};

async function clientsOnPlatforms(
  { config, err }: CommandContext,
  { isOnPlatforms }: Plan,
  { roles, log, store, commandsOf, whenReady }: Connecting,
): Promise<ReadonlyMap<string, readonly Client[]>> {
  if (!isOnPlatforms) return new Map();
  const [{ connectPlatforms }, { platforms }] = await Promise.all([
    import("./clients/connect-platforms.ts"),
    import("./clients/platforms.ts"),
  ]);
  const tell = (message: string): void => void err.write(`troupe: ${message}\n`);
  return connectPlatforms(roles, { platforms, config, log, store, commandsOf, whenReady, tell });
}

/** Lets commands reach this process; nobody waits for it, and without it the agents go on all the same. */
function openToCommands(
  life: Life,
  path: string,
  { players, store, log, knowing }: Troupe & { readonly knowing: Knowing },
): void {
  const agents = players.map(({ agentId, character, clients, agent }) => {
    return { agentId, name: character.name, clients, tasks: agent.tasks() };
  });
  const parts = { path, agents, store, log, knowing, clock: systemClock, random: Math.random, pid: process.pid };
  const opening = import("./control/open-control.ts").then(({ openControl }) => openControl(parts));
  const control = opening.catch((error: unknown) => {
    log.warn({ error: errorMessage(error) }, "commands that change something do not reach this agent");
    return null;
  });
  life.onClose("the control socket", async () => (await control)?.close());
}

type CastMember = {
  readonly role: Role;
  /** Of the character's file. */
  readonly path: string;
  readonly models: ReturnType<typeof createModels>["models"];
  readonly plugins: readonly Plugin[];
};

/** Gives every character its plugins and models; one that cannot have a model is named, and the others go on. */
async function createCast(
  context: CommandContext,
  characters: readonly ChosenCharacter[],
  { log, keepSecret }: ProgramLog,
): Promise<readonly CastMember[]> {
  const { config, err } = context;
  const failures: string[] = [];
  const wholeMs = config.values.TROUPE_MODEL_TIMEOUT_MS;
  const withPlugins = await Promise.all(
    characters.map(async (chosen) => ({ ...chosen, plugins: await loadPluginsOf(chosen, context, log) })),
  );
  const cast = withPlugins.flatMap(({ character, path, plugins }): readonly CastMember[] => {
    keepSecret(Object.values(character.secrets));
    try {
      const created = createModels(modelSettings(config, character), {
        offline: createOfflineModel,
        clock: systemClock,
        random: Math.random,
        log,
        ...(wholeMs !== undefined && { timeouts: { wholeMs } }),
      });
      const role = { character, agentId: deriveAgentId(character), models: created.describe() };
      return [{ role, path, models: created.models, plugins }];
    } catch (error) {
      failures.push(`${character.name} cannot start: ${errorMessage(error)}`);
      return [];
    }
  });
  if (cast.length === 0) throw new ConfigError("invalid", failures.join("\n"));
  for (const failure of failures) err.write(`troupe: ${failure}\n`);
  return cast;
}

/** One that cannot be loaded is told, and the character goes on without it. */
async function loadPluginsOf(
  { character, path }: ChosenCharacter,
  { config, err }: CommandContext,
  log: Log,
): Promise<readonly Plugin[]> {
  if (character.plugins.length === 0) return [];
  const { loadPlugins } = await import("./plugins/load-plugin.ts");
  const { plugins, failures, warnings } = await loadPlugins({
    rootPath: config.rootPath,
    characterPath: path,
    character,
  });
  for (const { reason } of failures) err.write(`troupe: ${reason}\n`);
  for (const warning of warnings) log.warn({ character: character.name }, warning);
  return plugins;
}

async function startAll(players: readonly Player[], { err }: CommandContext): Promise<void> {
  const results = await Promise.allSettled(players.map(({ agent }) => agent.start({ isQuick: true })));
  const refusals = results.flatMap((result, at) =>
    result.status === "rejected" ? [{ name: players[at]?.character.name, error: result.reason as unknown }] : [],
  );
  const [first] = refusals;
  if (first && refusals.length === players.length) throw first.error;
  for (const { name, error } of refusals) err.write(`troupe: ${name} cannot start: ${errorMessage(error)}\n`);
}
