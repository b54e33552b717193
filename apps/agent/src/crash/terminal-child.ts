import { randomUUID } from "node:crypto";
import { appendFileSync, openSync, writeSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { silentLog, systemClock } from "@troupe/core";
import type { CrashPoint } from "@troupe/core/testing";
import { createTerminal, createTerminalClient } from "@troupe/terminal";
import { echoingModel, playScene } from "./crash-scene.ts";

/** What the parent of a crashing conversation tells it, as JSON in its first argument. */
export type TerminalOrder = {
  readonly databasePath: string;
  /** What stands on the screen, over all processes. */
  readonly screenPath: string;
  /** Said once everything before is finished; the process dies at the point with it in hand. Absent: only finish. */
  readonly text?: string;
  readonly point?: CrashPoint;
};

/** A conversation in a terminal that is a file, in a process of its own. */
async function main({ databasePath, screenPath, text, point }: TerminalOrder): Promise<void> {
  const input = new PassThrough();
  const terminal = createTerminal({
    input,
    output: toFile(screenPath),
    isTty: false,
    hasColours: false,
    isLabelled: true,
    clock: systemClock,
    log: silentLog,
    newId: () => randomUUID(),
    onEnd: () => undefined,
    onInterrupt: () => undefined,
  });
  await playScene({
    databasePath,
    client: createTerminalClient({ terminal, agentId: "", agentName: "Ada" }),
    model: echoingModel((asked) => `Answer to ${asked}. ${"More. ".repeat(150).trim()} The end of ${asked}.`),
    onUnknown: "resend",
    ...(point && { point }),
    async speak() {
      if (text === undefined) return;
      appendFileSync(screenPath, `--- ${text}\n`);
      input.write(`${text}\n`);
      // The process dies meanwhile; where it does not, the parent sees that it ended otherwise.
      await systemClock.sleep(10_000);
    },
  });
}

/** What is written stands in the file before anything goes on. */
function toFile(path: string): Writable {
  const file = openSync(path, "a", 0o600);
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeSync(file, chunk);
      done();
    },
  });
}

await main(JSON.parse(process.argv[2] ?? "{}") as TerminalOrder);
