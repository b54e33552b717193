import type { CharacterReading, Log, Store } from "@troupe/core";
import type { StoreThread } from "@troupe/store/thread";
import type { Config } from "../config.ts";
import type { HomePaths } from "../home/home.ts";

/** Where text for people or programs goes; writing never throws and never waits. */
export type TextOutput = { write(text: string): void };

/** A character file and what came of reading it; a file that cannot be read is a reading with one problem. */
export type LoadedCharacter = {
  /** Absolute. */
  readonly path: string;
  /** As a person would write it: relative to where they are, when that is shorter. */
  readonly shownPath: string;
  readonly reading: CharacterReading;
};

/** The flags that hold for every command, as they were given. */
export type GlobalFlags = {
  readonly character?: readonly string[];
  readonly home?: string;
  readonly logLevel?: string;
  readonly model?: string;
  /** False with `--no-colour`. */
  readonly colour: boolean;
};

/**
 * What a command of the command line works with. It is handed over while the commands are declared, before anything was
 * read: use its members only inside an action. The first use of `config` reads and checks the environment.
 * A command file imports only types and `commander` at the top and the rest inside the action, so that `--help` stays quick.
 * Whatever an action throws is told on standard error without a stack, with exit code 1 (2 for `ConfigError` `invalid`).
 */
export type CommandContext = {
  /** @throws ConfigError naming every variable that is wrong, with its remedy. */
  readonly config: Config;
  readonly flags: GlobalFlags;
  readonly out: TextOutput;
  readonly err: TextOutput;
  /** Whether `out` is a terminal. */
  readonly isTty: boolean;
  /** Whether `out` may be coloured: a terminal, and neither `NO_COLOR` nor `--no-colour`. */
  readonly colours: boolean;
  /** Characters in a line of the terminal; 80 when it is none. */
  readonly columns: number;
  readonly log: Log;
  readonly home: HomePaths;
  /** The thread that was started for the data of this command, once; undefined when there is none. */
  takeStoreThread(): StoreThread | undefined;
  /**
   * The data of the home, for reading, also beside a running agent; closed when the command is over.
   * @throws StoreError `not_found` when no agent was started with this home yet.
   */
  openStoreReadOnly(): Promise<Store>;
  /** Reads these character files; without paths those of `--character`, else those of TROUPE_CHARACTERS, else the default one. */
  loadCharacters(paths?: readonly string[]): Promise<readonly LoadedCharacter[]>;
  /** The absolute paths of all files in `characters/`, in alphabetical order. */
  listCharacterFiles(): Promise<readonly string[]>;
  /** What the process ends with when nothing worse happens; the highest one counts. */
  setExitCode(code: number): void;
};
