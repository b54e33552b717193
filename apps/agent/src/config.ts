import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import type { GlobalFlags } from "./commands/context.ts";
import { isSecret, isVariable, readVariables, type VariableValues } from "./variables.ts";

/** How much is logged; `silent` is nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** What the program was told by its flags, its environment and the `.env` file, in this order of precedence. */
export type Config = {
  /** `--home`, TROUPE_HOME or `.troupe` at the project's root; absolute. */
  readonly homePath: string;
  /** The project's root. */
  readonly rootPath: string;
  /** Where the user stands: relative paths of flags start here. */
  readonly workingPath: string;
  /** `--character`, else TROUPE_CHARACTERS, as written; empty when nobody named one. */
  readonly characters: readonly string[];
  /** `--model`, as written: for every character, whatever it says itself. */
  readonly model?: string;
  /** Absent when nobody said: each command has its own default. */
  readonly logLevel?: LogLevel;
  readonly isColourWanted: boolean;
  readonly values: VariableValues;
  /** Everything that is set, as it was written: where plugins find settings of their own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The values of keys and tokens; they never appear in a log. */
  readonly secrets: readonly string[];
  readonly envFile: EnvFile;
  /** Names of variables that begin like ours, or stand in the `.env` file, and that nothing reads. */
  readonly unknownVariables: readonly UnknownVariable[];
};

/** The `.env` file: where it is looked for and whether it is there. */
type EnvFile = { readonly path: string; readonly isThere: boolean };

/** A variable nothing reads. */
type UnknownVariable = { readonly name: string; readonly isFromFile: boolean };

/** What a configuration is made from; the process's own by default. */
export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly rootPath: string;
  readonly workingPath: string;
  /** The text of a file, or undefined when it is not there. */
  readonly readText: (path: string) => string | undefined;
};

/** The project's root, whatever the current directory. */
export const rootPath = fileURLToPath(new URL("../../..", import.meta.url)).replace(/[\\/]$/, "");

/**
 * Reads flags, environment and `.env` into a configuration.
 * @throws ConfigError `invalid` with one line for every problem.
 */
export function readConfig(flags: GlobalFlags, surroundings: Surroundings = processSurroundings()): Config {
  const { rootPath: root, workingPath } = surroundings;
  const { file, environment, fromFile } = readEnvironment(surroundings);
  const originOf = (name: string): string => (name in fromFile ? `in ${file.path}` : "in the environment");
  const reading = readVariables(environment, originOf);
  const problems = [...(reading.ok ? [] : reading.problems), ...checkFlags(flags)];
  if (!reading.ok || problems.length > 0) throw new ConfigError("invalid", joinProblems(problems));
  const { values } = reading;
  const logLevel = flags.logLevel ?? values.LOG_LEVEL;
  return {
    homePath: flags.home ? resolve(workingPath, flags.home) : resolve(root, values.TROUPE_HOME ?? ".troupe"),
    rootPath: root,
    workingPath,
    characters: flags.character ?? splitList(values.TROUPE_CHARACTERS),
    ...(flags.model && { model: flags.model }),
    ...(isLogLevel(logLevel) && { logLevel }),
    isColourWanted: flags.colour && values.NO_COLOR === undefined,
    values,
    environment,
    secrets: secretsOf(values),
    envFile: file,
    unknownVariables: findUnknown(environment, fromFile),
  };
}

/** What this process was started with. */
function processSurroundings(): Surroundings {
  // npm and pnpm change into the project before they start us and say where the user was.
  const asked = process.env["npm_lifecycle_event"] === undefined ? undefined : process.env["INIT_CWD"];
  return {
    environment: process.env,
    rootPath,
    workingPath: asked && isAbsolute(asked) ? asked : process.cwd(),
    readText: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw new ConfigError(
          "invalid",
          `${path} cannot be read (${errorMessage(error)}); correct its rights or remove it`,
        );
      }
    },
  };
}

type EnvironmentReading = {
  readonly file: EnvFile;
  /** Both, the process's own winning. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fromFile: Readonly<Record<string, string | undefined>>;
};

/** The environment counts where both say something; an empty value counts as nothing said. */
function readEnvironment({ environment, rootPath: root, readText }: Surroundings): EnvironmentReading {
  const named = environment["TROUPE_ENV_FILE"]?.trim();
  const path = resolve(root, named || ".env");
  const text = readText(path);
  if (named && text === undefined) {
    throw new ConfigError("invalid", `TROUPE_ENV_FILE names ${path}, which is not there; correct it or leave it out`);
  }
  const isSet = (name: string): boolean => Boolean(environment[name]?.trim());
  const fromFile = Object.fromEntries(
    Object.entries(text === undefined ? {} : parseEnv(text)).filter(([name]) => !isSet(name)),
  );
  return { file: { path, isThere: text !== undefined }, environment: { ...environment, ...fromFile }, fromFile };
}

const logLevels: readonly string[] = ["debug", "info", "warn", "error", "silent"] satisfies readonly LogLevel[];

function isLogLevel(text: string | undefined): text is LogLevel {
  return text !== undefined && logLevels.includes(text);
}

function checkFlags(flags: GlobalFlags): readonly string[] {
  if (flags.logLevel === undefined || isLogLevel(flags.logLevel)) return [];
  return [
    `--log-level is ${JSON.stringify(flags.logLevel)}: write ${logLevels.join(", ").replace(/, (\w+)$/, " or $1")}`,
  ];
}

function joinProblems(problems: readonly string[]): string {
  if (problems.length === 1) return problems[0] ?? "";
  return [`${problems.length} settings are wrong:`, ...problems].join("\n  ");
}

function splitList(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function secretsOf(values: VariableValues): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isVariable(name) && isSecret(name) && typeof value === "string" ? [value] : [],
  );
}

function findUnknown(
  environment: Readonly<Record<string, string | undefined>>,
  fromFile: Readonly<Record<string, string | undefined>>,
): readonly UnknownVariable[] {
  return Object.keys(environment)
    .filter((name) => !isVariable(name) && (name.startsWith("TROUPE_") || name in fromFile))
    .map((name) => ({ name, isFromFile: name in fromFile }));
}
