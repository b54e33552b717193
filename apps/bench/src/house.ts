import {
  type Agent,
  type Character,
  type CreateCapability,
  createAgent,
  type ModelRequest,
  type Models,
  type RegisteredAction,
  type Store,
  silentLog,
  systemClock,
} from "@troupe/core";
import { createInbound } from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";
import { type BenchClient, createBenchClient } from "./bench-client.ts";
import { defaultCharacter, place } from "./project.ts";
import { lineOf } from "./said.ts";
import { createStubModel, type Speaks, type StubModel } from "./stub-model.ts";

/** An agent at work on a file of its own. */
export type House = {
  readonly agent: Agent;
  readonly store: Store;
  readonly client: BenchClient;
  readonly model: StubModel;
  close(): Promise<void>;
};

/** How a house is built. */
export type HouseOptions = {
  readonly path: string;
  readonly hasEdits?: boolean;
  readonly speaks?: Speaks;
  /** Changes of the character's settings. */
  readonly settings?: Partial<Character["settings"]>;
  /** Actions beside those every agent has. */
  readonly actions?: readonly RegisteredAction[];
  /** What it can do beside talking, and models beside the one that speaks. */
  readonly capabilities?: readonly CreateCapability[];
  readonly models?: Partial<Models>;
  /** Is told every request to the model. */
  readonly hears?: (request: ModelRequest) => void;
  /** What stands between the engine and the store. */
  readonly around?: (store: Store) => Store;
};

/** What somebody says in a room of the bench client, and when. */
export type Message = { readonly room: string; readonly eventId: string; readonly number: number; readonly at: number };

/** Builds an agent by hand: the default character, a stub model, the bench client, SQLite in a file. */
export async function openHouse({
  path,
  hasEdits = false,
  speaks,
  actions,
  hears,
  around,
  settings,
  capabilities,
  models,
}: HouseOptions): Promise<House> {
  const store = await createSqliteStore({ path, log: silentLog });
  const client = createBenchClient({ hasEdits });
  const model = createStubModel(speaks, hears);
  const character = defaultCharacter();
  const agent = createAgent({
    character: { ...character, settings: { ...character.settings, ...settings } },
    store: around ? around(store) : store,
    models: { TEXT_LARGE: model, TEXT_SMALL: model, ...models },
    clients: [client],
    clock: systemClock,
    random: () => 0.5,
    log: silentLog,
    owner: "bench",
    ...(actions && { actions }),
    ...(capabilities && { capabilities }),
  });
  await agent.start();
  return {
    agent,
    store,
    client,
    model,
    async close() {
      await agent.stop();
      await store.admin.close();
    },
  };
}

/** A message as a client hands it to the engine. */
export function toInbound(agentId: string, { room, eventId, number, at }: Message): ReturnType<typeof createInbound> {
  const hearer = { agentId, ...place };
  return createInbound(hearer, { text: lineOf(number), eventId, room, from: "Bo", at });
}
