import type { RegisteredAction } from "../action/action.ts";
import type { Character } from "../character/character.ts";
import { readCharacter } from "../character/read-character.ts";
import type { AgentEvent } from "../event/event.ts";
import { silentLog } from "../log.ts";
import type { Models } from "../model/models.ts";
import { type Agent, createAgent } from "../run/agent.ts";
import type { AgentParts } from "../run/agent-parts.ts";
import type { Entry, EntryBody } from "../run/entry.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createScriptedClient, type ScriptedClient, type ScriptedClientOptions } from "./scripted-client.ts";
import { createScriptedModel, type ModelScript, type ScriptedModel } from "./scripted-model.ts";
import { createSetClock, type SetClock } from "./set-clock.ts";

/** An agent at work on doubles, and everything a test looks at. */
export type Stage = {
  readonly agent: Agent;
  readonly client: ScriptedClient;
  /** The model that answers, and the one that is asked whether to speak. */
  readonly model: ScriptedModel;
  readonly small: ScriptedModel;
  readonly store: Store;
  readonly clock: SetClock;
  readonly events: AgentEvent[];
  /** What the other side sees, in the order of sending. */
  texts(): string[];
  /** Somebody says this, and everything it causes happens. */
  say(text: string): Promise<void>;
  /** What the newest run's journal says. */
  journal(): Promise<readonly EntryBody[]>;
};

/** What a stage is made of; the rest is made up. */
export type Setting = Pick<
  Partial<AgentParts>,
  "capabilities" | "contexts" | "providers" | "evaluators" | "plugins" | "environment" | "log"
> & {
  readonly script: ModelScript;
  readonly small?: ModelScript;
  /** Models of other types. */
  readonly models?: Partial<Models>;
  /** Changes of the character's file. */
  readonly character?: Record<string, unknown>;
  readonly client?: Partial<ScriptedClientOptions>;
  readonly actions?: readonly RegisteredAction[];
  readonly store?: Store;
  readonly chunkSize?: number;
  /** When its clock stands, epoch milliseconds; the usual beginning of a set clock when absent. */
  readonly startAt?: number;
};

/** Stages of a test file; close them after each test. */
export type Stages = { open(setting: Setting): Promise<Stage>; close(): Promise<void> };

/** Opens agents and remembers to stop them. */
export function createStages(): Stages {
  const agents: Agent[] = [];
  return {
    async open(setting) {
      const stage = await openStage(setting);
      agents.push(stage.agent);
      return stage;
    },
    async close() {
      await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
    },
  };
}

/** The character of a stage, Ada, with changes. */
export function stageCharacter(change: Record<string, unknown> = {}): Character {
  const file = { id: "8b9d2c3e-0000-4000-8000-000000000001", name: "Ada", bio: "An engineer.", ...change };
  const reading = readCharacter(file, { source: "test" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.character;
}

async function openStage(setting: Setting): Promise<Stage> {
  const character = stageCharacter(setting.character);
  const clock = createSetClock(setting.startAt);
  const store = setting.store ?? createMemoryStore({ clock });
  const model = createScriptedModel(setting.script, { chunkSize: setting.chunkSize ?? 7 });
  const small = createScriptedModel(setting.small ?? ["[RESPOND]"], { id: "scripted:small" });
  const client = createScriptedClient({ agentId: character.id ?? "", ...setting.client });
  const { actions, capabilities, contexts, providers, evaluators, plugins, environment } = setting;
  const agent = createAgent({
    character,
    store,
    clock,
    models: { TEXT_LARGE: model, TEXT_SMALL: small, ...setting.models },
    clients: [client],
    random: () => 0.5,
    log: setting.log ?? silentLog,
    owner: "test",
    ...(actions && { actions }),
    ...(capabilities && { capabilities }),
    ...(contexts && { contexts }),
    ...(providers && { providers }),
    ...(evaluators && { evaluators }),
    ...(plugins && { plugins }),
    ...(environment && { environment }),
  });
  const events: AgentEvent[] = [];
  agent.on((event) => events.push(event));
  await agent.start();
  return {
    agent,
    client,
    model,
    small,
    store,
    clock,
    events,
    texts: () => client.shown().map(({ text }) => text),
    async say(text) {
      await client.hear(text);
      await agent.idle();
    },
    journal: async () => (await newestEntries(store, agent.agentId)).map(({ body }) => body),
  };
}

async function newestEntries(store: Store, agentId: string): Promise<readonly Entry[]> {
  const [run] = await store.journal.runs(agentId, { limit: 1 });
  return run ? store.journal.entries(agentId, run.id) : [];
}
