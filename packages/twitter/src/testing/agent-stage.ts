import { type Agent, type ClientState, type Clock, type Store, silentLog, systemClock } from "@troupe/core";
import { createAgent } from "@troupe/core/agent";
import { readCharacter } from "@troupe/core/character";
import { createMemoryStore, createScriptedModel, type SetClock } from "@troupe/core/testing";
import type { SimulatedUser, TwitterSimulator } from "@troupe/simulator-twitter";
import { clientOf, onEnd, type Setting } from "./stage.ts";

/** Who is at work, and how it answers a prompt. */
export type Cast = Setting & {
  readonly answer: (prompt: string) => string;
  readonly clock?: Clock;
  readonly state?: ClientState;
  readonly store?: Store;
  readonly topics?: readonly string[];
};

/** An agent at work on X. */
export type AgentStage = {
  readonly agent: Agent;
  readonly store: Store;
  /** What the model was asked, as JSON. */
  readonly prompts: readonly string[];
  stop(): Promise<void>;
};

let started = 0;

/** Starts an agent for an account of a simulator; it stops after the test. */
export async function startAgent(simulator: TwitterSimulator, bot: SimulatedUser, cast: Cast): Promise<AgentStage> {
  const { answer, clock = systemClock, state, topics = ["engines", "tea"], parts, options, ...setting } = cast;
  const id = "8b9d2c3e-0000-4000-8000-000000000001";
  const reading = readCharacter({ id, name: "Ada", bio: "An engineer.", topics }, { source: "test" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  const store = cast.store ?? createMemoryStore({ clock });
  const prompts: string[] = [];
  const client = clientOf(simulator, bot, {
    ...setting,
    options: { topics, ...options },
    parts: { ...(clock !== systemClock && { clock }), ...(state && { state }), ...parts },
  });
  started += 1;
  const agent = createAgent({
    character: reading.character,
    store,
    models: {
      TEXT_LARGE: createScriptedModel((request) => {
        const prompt = JSON.stringify(request);
        prompts.push(prompt);
        return answer(prompt);
      }),
      TEXT_SMALL: createScriptedModel(() => "[RESPOND]"),
    },
    clients: [client],
    clock,
    random: () => 0.5,
    log: silentLog,
    owner: `test-${started}`,
  });
  const stop = (): Promise<void> => agent.stop(0);
  onEnd(stop);
  await agent.start();
  return { agent, store, prompts, stop };
}

/** Lets time pass in steps; each is lived through to its end, with everything that is asked of X in it. */
export async function pass(
  {
    clock,
    simulator,
    agent,
  }: { readonly clock: SetClock; readonly simulator: TwitterSimulator; readonly agent: Agent },
  ms: number,
  stepMs = 15 * 60_000,
): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await clock.advance(Math.min(stepMs, left));
    let asked = -1;
    while (asked !== simulator.requests.length) {
      asked = simulator.requests.length;
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      await agent.idle();
    }
  }
}
