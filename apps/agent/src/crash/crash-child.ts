import { appendFileSync } from "node:fs";
import { systemClock } from "@troupe/core";
import { type CrashPoint, createFileClient, type HeardMessage } from "@troupe/core/testing";
import { echoingModel, playScene } from "./crash-scene.ts";

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
  readonly mode?: "reply" | "steps";
  /** Where to die, with the last input in hand; what came before is finished first. */
  readonly point?: CrashPoint;
};

/** The whole way of a message in a process of its own, which ends with SIGKILL at the point it was told. */
async function main({ inputs, streams, callsPath, clientPath, guarantee, ...order }: CrashOrder): Promise<void> {
  const client = createFileClient({
    agentId: "",
    path: clientPath,
    inputs: inputs.slice(0, -1),
    guarantee,
    ...(streams && { edits: { intervalMs: 0, canRemove: true } }),
  });
  const model = echoingModel((asked) => {
    appendFileSync(callsPath, `${asked}\n`);
    return `Answer to ${asked}. ${"More of it. ".repeat(80).trim()}`;
  });
  const speak = async (): Promise<void> => {
    for (const input of inputs.slice(-1)) client.offer(input);
    while (client.acknowledged().length < inputs.length) await systemClock.sleep(5);
  };
  await playScene({ ...order, client, model, speak });
}

await main(JSON.parse(process.argv[2] ?? "{}") as CrashOrder);
