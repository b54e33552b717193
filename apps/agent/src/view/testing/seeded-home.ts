import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  type CreateCapability,
  createAgent,
  deriveAgentId,
  readCharacter,
  type Store,
  silentLog,
} from "@troupe/core";
import {
  createScriptedClient,
  createScriptedModel,
  createSetClock,
  type ModelScript,
  type ScriptedClient,
  type ScriptedClientOptions,
  type SetClock,
} from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";

/** A home with Ada at work in it, on a set clock, on the real engine. */
export type SeededHome = {
  readonly path: string;
  readonly agentId: string;
  readonly agent: Agent;
  readonly client: ScriptedClient;
  readonly clock: SetClock;
  readonly store: Store;
  /** Stops the agent and closes the store, as if the process had ended; the data stay. */
  end(): Promise<void>;
  /** Ends it and removes the data. */
  remove(): Promise<void>;
};

/** What the home's agent is given. */
export type SeedOptions = {
  readonly script: ModelScript;
  readonly small?: ModelScript;
  readonly client?: Partial<ScriptedClientOptions>;
  readonly capabilities?: readonly CreateCapability[];
};

/** Opens a home with an agent; say something with `client.hear`. */
export async function seedHome({
  script,
  small = ["[RESPOND]"],
  client: options,
  capabilities = [],
}: SeedOptions): Promise<SeededHome> {
  const path = mkdtempSync(join(tmpdir(), "troupe-view-"));
  const reading = readCharacter({ name: "Ada", bio: "An engineer." }, { source: "test" });
  if (!reading.ok) throw new Error("the character is not valid");
  const { character } = reading;
  const agentId = deriveAgentId(character);
  const clock = createSetClock();
  const store = await createSqliteStore({ path: join(path, "troupe.db"), log: silentLog, clock });
  const client = createScriptedClient({ agentId, ...options });
  const agent = createAgent({
    character,
    store,
    clock,
    models: {
      TEXT_LARGE: createScriptedModel(script),
      TEXT_SMALL: createScriptedModel(small, { id: "scripted:small" }),
    },
    clients: [client],
    capabilities,
    random: () => 0.5,
    log: silentLog,
    owner: "test",
  });
  await agent.start();
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ended ??= agent.stop(0).then(() => store.admin.close());
    return ended;
  };
  return {
    path,
    agentId,
    agent,
    client,
    clock,
    store,
    end,
    async remove() {
      await end();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
