import type { Store } from "@troupe/core";
import type { StoreThread } from "@troupe/store/thread";
import type { Command } from "commander";
import type { CommandContext, GlobalFlags, TextOutput } from "./commands/context.ts";
import type { Config } from "./config.ts";
import type { HomePaths } from "./home/home.ts";
import type { ProgramLog } from "./log.ts";

/** Commands whose process owns the data: the thread for it starts while the rest of the program is being loaded. */
const owningCommands: readonly string[] = ["chat", "start"];

/** A context with the life of one command. */
export type ProgramContext = {
  readonly context: CommandContext;
  /**
   * Reads the configuration; what is wrong with it is thrown to whoever uses it. Called with the command's name when it is
   * certain that one runs.
   */
  load(command: string): Promise<void>;
  /** Closes what the command opened. */
  close(): Promise<void>;
  exitCode(): number;
};

/** The flags of every command; both spellings of the one for colours count. */
function readFlags(program: Command): GlobalFlags {
  const flags = program.opts<GlobalFlags & { readonly color?: boolean }>();
  return { ...flags, colour: flags.colour && flags.color !== false };
}

type Loaded = {
  readonly config: Config;
  readonly home: HomePaths;
  readonly log: ProgramLog;
};

/** The standard streams of a process, as far as a command uses them. */
export type Streams = { readonly out: NodeJS.WriteStream; readonly err: NodeJS.WriteStream };

/** The context of the commands of one program. */
export function createProgramContext(program: Command, { out, err }: Streams): ProgramContext {
  let loaded: Loaded | undefined;
  let refusal: unknown = new Error("the context was used before a command ran");
  let code = 0;
  const stores: Store[] = [];
  const need = (): Loaded => {
    if (!loaded) throw refusal;
    return loaded;
  };
  let thread: StoreThread | undefined;
  const load = async (command: string): Promise<void> => {
    if (owningCommands.includes(command)) thread = (await import("@troupe/store/thread")).startStoreThread();
    const [{ readConfig }, { homePaths }, { createLog }] = await Promise.all([
      import("./config.ts"),
      import("./home/home.ts"),
      import("./log.ts"),
    ]);
    const config = attempt(() => readConfig(readFlags(program)));
    if (!config.ok) {
      refusal = config.error;
      return;
    }
    const sink = { write: (line: string) => void err.write(line), close: () => undefined };
    const log = createLog(sink, config.value.logLevel ?? "warn", config.value.secrets);
    loaded = { config: config.value, home: homePaths(config.value.homePath), log };
  };
  const context: CommandContext = {
    get config() {
      return need().config;
    },
    get flags() {
      return readFlags(program);
    },
    out: toTextOutput(out),
    err: toTextOutput(err),
    isTty: out.isTTY === true,
    get colours() {
      return out.isTTY === true && need().config.isColourWanted;
    },
    get columns() {
      return out.columns || 80;
    },
    get log() {
      return need().log.log;
    },
    get home() {
      return need().home;
    },
    takeStoreThread() {
      const taken = thread;
      thread = undefined;
      return taken;
    },
    async openStoreReadOnly() {
      const { createSqliteStore } = await import("@troupe/store");
      const { home, log } = need();
      const store = await createSqliteStore({ path: home.databasePath, log: log.log, readOnly: true });
      stores.push(store);
      return store;
    },
    async loadCharacters(paths) {
      const { defaultCharacter, loadCharacter } = await import("./character-files.ts");
      const { config } = need();
      const named = paths ?? config.characters;
      const written = paths === undefined && named.length === 0 ? [defaultCharacter] : named;
      return written.map((path) => loadCharacter(path, config));
    },
    async listCharacterFiles() {
      const { listCharacterFiles } = await import("./character-files.ts");
      return listCharacterFiles(need().config);
    },
    setExitCode(next) {
      code = Math.max(code, next);
    },
  };
  return {
    context,
    load,
    async close() {
      await thread?.terminate();
      await Promise.allSettled(stores.splice(0).map((store) => store.admin.close()));
    },
    exitCode: () => code,
  };
}

type Attempt<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: unknown };

function attempt<Value>(work: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

function toTextOutput(stream: NodeJS.WriteStream): TextOutput {
  return { write: (text) => void stream.write(text) };
}
