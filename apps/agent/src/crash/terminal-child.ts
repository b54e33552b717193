import { appendFileSync, openSync, writeSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { createAgent, readCharacter, silentLog, systemClock } from "@troupe/core";
import { type CrashPoint, crashAt, createScriptedModel } from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";
import { createTerminal, createTerminalClient } from "@troupe/terminal";
import { dieNow } from "./die-now.ts";

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
  const reading = readCharacter({ name: "Ada", bio: "An engineer." }, { source: "terminal-child" });
  if (!reading.ok) throw new Error("the character is wrong");
  const store = await createSqliteStore({ path: databasePath, log: silentLog });
  const model = createScriptedModel(
    ({ messages }) => {
      const asked = [...(messages.at(-1)?.content ?? "").matchAll(/>([^<]*)<\/message>/g)].at(-1)?.[1] ?? "";
      return JSON.stringify({
        actions: ["REPLY"],
        text: `Answer to ${asked}. ${"More. ".repeat(150).trim()} The end of ${asked}.`,
      });
    },
    { chunkSize: 100 },
  );
  const input = new PassThrough();
  const screen = openSync(screenPath, "a", 0o600);
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeSync(screen, chunk);
      done();
    },
  });
  const terminal = createTerminal({
    input,
    output,
    isTty: false,
    hasColours: false,
    isLabelled: true,
    clock: systemClock,
    log: silentLog,
    newId: () => `${process.pid}-${Date.now()}`,
    onEnd: () => undefined,
    onInterrupt: () => undefined,
  });
  const client = createTerminalClient({ terminal, agentId: "", agentName: "Ada" });
  let isArmed = false;
  const whole = { store, models: { TEXT_LARGE: model, TEXT_SMALL: model }, clients: [client] };
  const die = (): void => {
    if (isArmed) dieNow();
  };
  const agent = createAgent({
    character: reading.character,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    owner: String(process.pid),
    ...(point ? crashAt(point, whole, die) : whole),
  });
  await agent.start();
  await agent.idle();
  isArmed = true;
  if (text !== undefined) {
    appendFileSync(screenPath, `--- ${text}\n`);
    input.write(`${text}\n`);
    await systemClock.sleep(10_000);
  }
  await agent.stop();
  await store.admin.close();
}

await main(JSON.parse(process.argv[2] ?? "{}") as TerminalOrder);
