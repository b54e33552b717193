import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Effort, Measure, Row } from "../measure.ts";
import { projectPath } from "../project.ts";
import { median } from "../statistics.ts";
import { withFolder } from "../temporary-folder.ts";

const startsPerRound = 3;

/** How long the program takes until it can be talked to. */
export const start: Measure = {
  name: "start",
  legend:
    "`node launch.mjs start` until it says ready, compile cache warm, the offline model. Floor: a Node process that opens the same database with node:sqlite, reads once and says ready.",
  run: (effort) => withFolder((folder) => measure(folder, effort)),
};

async function measure(folder: string, { rounds }: Effort): Promise<readonly Row[]> {
  const ours = [join(projectPath, "launch.mjs"), "start"];
  const floor = [fileURLToPath(new URL("../open-database.mjs", import.meta.url)), join(folder, "troupe.db")];
  for (let number = 0; number < 2; number++) {
    await timeToReady(ours, folder);
    await timeToReady(floor, folder);
  }
  const medians: { readonly oursMs: number; readonly floorMs: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const times: { readonly oursMs: number; readonly floorMs: number }[] = [];
    for (let number = 0; number < startsPerRound; number++) {
      times.push({ oursMs: await timeToReady(ours, folder), floorMs: await timeToReady(floor, folder) });
    }
    medians.push({
      oursMs: median(times.map(({ oursMs }) => oursMs)),
      floorMs: median(times.map(({ floorMs }) => floorMs)),
    });
  }
  return [
    {
      name: "start to ready",
      ours: Math.min(...medians.map(({ oursMs }) => oursMs)),
      floor: Math.min(...medians.map(({ floorMs }) => floorMs)),
      unit: "ms",
      goal: { type: "ratio-at-most", limit: 6 },
    },
  ];
}

/** From the spawn to the word "ready" on standard error; then the process is asked to end. */
async function timeToReady(args: readonly string[], home: string): Promise<number> {
  const env = { TROUPE_HOME: home, TROUPE_PROVIDER: "offline", LOG_LEVEL: "info" };
  const from = performance.now();
  const child = spawn(process.execPath, args, { env, cwd: projectPath, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let said = "";
  let readyMs: number | undefined;
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (readyMs !== undefined || !said.includes('"ready"')) continue;
    readyMs = performance.now() - from;
    child.kill("SIGTERM");
  }
  await ended;
  if (readyMs === undefined) throw new Error(`${args.join(" ")} ended before it was ready: ${said.slice(-2_000)}`);
  return readyMs;
}
