import { appendFileSync } from "node:fs";
import { createAgent, type LanguageModel, readCharacter, silentLog, systemClock } from "@troupe/core";
import {
  type CrashPoint,
  crashAt,
  createFileClient,
  createScriptedModel,
  type HeardMessage,
} from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";
import { dieNow } from "./die-now.ts";

/** What the parent of a crashing process tells it, as JSON in its first argument. */
export type CrashOrder = {
  readonly databasePath: string;
  readonly clientPath: string;
  /** One line a model call. */
  readonly callsPath: string;
  readonly inputs: readonly HeardMessage[];
  readonly guarantee: "nonce" | "lookup" | "none";
  readonly streams: boolean;
  readonly onUnknown: "resend" | "hold";
  /** Where to die, with the last input in hand; what came before is finished first. */
  readonly point?: CrashPoint;
};

/** The whole way of a message in a process of its own, which ends with SIGKILL at the point it was told. */
async function main(order: CrashOrder): Promise<void> {
  const reading = readCharacter({ name: "Ada", bio: "An engineer." }, { source: "crash-child" });
  if (!reading.ok) throw new Error("the character is wrong");
  const store = await createSqliteStore({ path: order.databasePath, log: silentLog });
  const model = countingModel(order.callsPath);
  const client = createFileClient({
    agentId: "",
    path: order.clientPath,
    inputs: order.inputs.slice(0, -1),
    guarantee: order.guarantee,
    ...(order.streams && { edits: { intervalMs: 0, canRemove: true } }),
  });
  const whole = { store, models: { TEXT_LARGE: model, TEXT_SMALL: model }, clients: [client] };
  let isArmed = false;
  const die = (): void => {
    if (isArmed) dieNow();
  };
  const agent = createAgent({
    character: reading.character,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    owner: String(process.pid),
    defaults: { onUnknown: order.onUnknown },
    ...(order.point ? crashAt(order.point, whole, die) : whole),
  });
  await agent.start();
  await agent.idle();
  isArmed = true;
  for (const input of order.inputs.slice(-1)) client.offer(input);
  while (client.acknowledged().length < order.inputs.length) await systemClock.sleep(5);
  await agent.idle();
  await agent.stop();
  await store.admin.close();
}

/** Answers each message by its own words, long enough to be shown while it grows, and writes down that it was asked. */
function countingModel(callsPath: string): LanguageModel {
  return createScriptedModel(
    ({ messages }) => {
      const asked = [...(messages.at(-1)?.content ?? "").matchAll(/>([^<]*)<\/message>/g)].at(-1)?.[1] ?? "";
      appendFileSync(callsPath, `${asked}\n`);
      return JSON.stringify({ actions: ["REPLY"], text: `Answer to ${asked}. ${"More of it. ".repeat(80).trim()}` });
    },
    { chunkSize: 100 },
  );
}

await main(JSON.parse(process.argv[2] ?? "{}") as CrashOrder);
