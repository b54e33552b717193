import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootPath } from "../config.ts";

/** A directory for one test: a home, and an empty file of settings, so that nobody's own are read. */
export type Place = {
  readonly path: string;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  remove(): void;
};

/** Makes a place; whoever makes it removes it. */
export function createPlace(environment: NodeJS.ProcessEnv): Place {
  const path = mkdtempSync(join(tmpdir(), "troupe-"));
  const envFile = join(path, "empty.env");
  writeFileSync(envFile, "");
  const home = join(path, "home");
  const system = Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^(TROUPE_|OPENAI_|ANTHROPIC_|LOG_LEVEL|NO_COLOR|npm_|INIT_CWD)/i.test(name),
    ),
  );
  const own = { ...system, TROUPE_HOME: home, TROUPE_ENV_FILE: envFile };
  return { path, home, environment: own, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** What a program said and how it ended. */
export type Ending = { readonly out: string; readonly err: string; readonly code: number | null };

/** A program that runs. */
export type RunningProgram = {
  readonly child: ChildProcess;
  /** Resolves once what it said on standard error or output matches. */
  said(pattern: RegExp): Promise<void>;
  readonly ended: Promise<Ending>;
};

/** Starts the program as a user would: by its launcher, or through the whole chain of npm and pnpm. */
export function startProgram(
  place: Place,
  args: readonly string[],
  {
    input,
    chain = false,
    environment = {},
  }: { readonly input?: string; readonly chain?: boolean; readonly environment?: NodeJS.ProcessEnv } = {},
): RunningProgram {
  const env = { ...place.environment, ...environment };
  const [command, ...before] = chain ? ["npm", "start", "-s", "--"] : [process.execPath, join(rootPath, "launch.mjs")];
  const child = spawn(command ?? "", [...before, ...args], { env, cwd: chain ? rootPath : place.path });
  let out = "";
  let err = "";
  let waiters: (() => void)[] = [];
  const tell = (): void => {
    for (const waiter of waiters) waiter();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    tell();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    tell();
  });
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, "close").then(
    ([code]): Ending => ({ out, err, code: typeof code === "number" ? code : null }),
  );
  return {
    child,
    ended,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(`${err}${out}`)) return;
          waiters = waiters.filter((waiter) => waiter !== look);
          resolve();
        };
        waiters.push(look);
        void ended.then((ending) => reject(new Error(`it ended before it said ${pattern}: ${JSON.stringify(ending)}`)));
        look();
      }),
  };
}

/** Runs the program to its end. */
export function runProgram(...given: Parameters<typeof startProgram>): Promise<Ending> {
  return startProgram(...given).ended;
}
