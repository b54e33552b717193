import { type Client, createAgent, type LanguageModel, readCharacter, silentLog, systemClock } from "@troupe/core";
import { type CrashPoint, crashAt, createScriptedModel } from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";

/** A process that finishes what an earlier one left, says something, and dies at the point with it in hand. */
export type CrashScene = {
  readonly databasePath: string;
  readonly client: Client;
  readonly model: LanguageModel;
  readonly onUnknown: "resend" | "hold";
  /** How the character works; `reply` when absent. */
  readonly mode?: "reply" | "steps";
  /** Absent: it lives. */
  readonly point?: CrashPoint;
  /** Says what is to be answered; resolves once it was accepted. Called when everything before is finished. */
  readonly speak: () => Promise<void>;
};

/** Plays the scene to its end, if it has one. */
export async function playScene({
  databasePath,
  client,
  model,
  onUnknown,
  mode,
  point,
  speak,
}: CrashScene): Promise<void> {
  const reading = readCharacter(
    { name: "Ada", bio: "An engineer.", settings: { mode: mode ?? "reply" } },
    { source: "crash" },
  );
  if (!reading.ok) throw new Error("the character is wrong");
  const store = await createSqliteStore({ path: databasePath, log: silentLog });
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
    defaults: { onUnknown },
    ...(point ? crashAt(point, whole, die) : whole),
  });
  await agent.start();
  await agent.idle();
  isArmed = true;
  await speak();
  await agent.idle();
  await agent.stop();
  await store.admin.close();
}

/** A model that answers each message by its own words, as `answerTo` says, in pieces of 100 characters. */
export function echoingModel(answerTo: (asked: string) => string): LanguageModel {
  return createScriptedModel(
    ({ messages }) => {
      const asked = [...(messages.at(-1)?.content ?? "").matchAll(/>([^<]*)<\/message>/g)].at(-1)?.[1] ?? "";
      return JSON.stringify({ actions: ["REPLY"], text: answerTo(asked) });
    },
    { chunkSize: 100 },
  );
}

/** No handler runs, no buffer is flushed: as if the power went. */
function dieNow(): never {
  process.kill(process.pid, "SIGKILL");
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
