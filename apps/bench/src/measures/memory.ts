import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Effort, Measure, Row } from "../measure.ts";
import { projectPath } from "../project.ts";
import { lineOf } from "../said.ts";
import { median } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const messages = 20;
const waitMs = 50;
const limitMs = 60_000;

/** How much memory the program holds. */
export const memory: Measure = {
  name: "memory",
  legend:
    "resident memory of `node launch.mjs` after 20 answered messages, offline model, the middle of the rounds. Three clients: three characters, each with a terminal client of its own in one process; no other platform has a client yet.",
  async run({ rounds }: Effort): Promise<readonly Row[]> {
    const one: number[] = [];
    const three: number[] = [];
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      one.push(await withFolder((home) => residentMegabytes(home, ["ada"])));
      three.push(await withFolder((home) => residentMegabytes(home, ["ada", "nadir", "pip"])));
    }
    return [
      { name: "memory, the terminal alone", ours: median(one), unit: "MB", goal: { type: "at-most", limit: 130 } },
      { name: "memory, three clients", ours: median(three), unit: "MB", goal: { type: "at-most", limit: 190 } },
    ];
  },
};

/** Talks to characters until each message was answered, and looks. */
async function residentMegabytes(home: string, characters: readonly string[]): Promise<number> {
  const env = { TROUPE_HOME: home, TROUPE_PROVIDER: "offline" };
  const flags = characters.flatMap((name) => ["--character", `characters/${name}.character.json`]);
  const child = spawn(process.execPath, [join(projectPath, "launch.mjs"), ...flags], { env, cwd: projectPath });
  const ended = once(child, "exit");
  try {
    let answers = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      answers += text.match(/^[A-Z]\w+: /gm)?.length ?? 0;
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    for (let number = 0; number < messages; number++) {
      const name = characters[number % characters.length] ?? "";
      child.stdin.write(`${characters.length > 1 ? `@${name} ` : ""}${lineOf(number)}\n`);
      for (let waitedMs = 0; answers <= number; waitedMs += waitMs) {
        if (child.exitCode !== null || waitedMs > limitMs)
          throw new Error(`message ${number} was not answered: ${errors}`);
        await sleep(waitMs);
      }
    }
    return residentKibibytes(child) / 1_024;
  } finally {
    child.stdin.end();
    await ended;
  }
}

/** What the system counts as the process's memory. */
function residentKibibytes({ pid = 0 }: ChildProcessWithoutNullStreams): number {
  const text =
    process.platform === "linux"
      ? readFileSync(`/proc/${pid}/status`, "utf8").match(/^VmRSS:\s+(\d+) kB$/m)?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(text);
}
