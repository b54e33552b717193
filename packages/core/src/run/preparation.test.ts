import { afterEach, expect, it } from "vitest";
import { StoreError } from "../errors.ts";
import { silentLog } from "../log.ts";
import type { Store } from "../store/store.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient } from "../testing/scripted-client.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { stageCharacter } from "../testing/stage.ts";
import { type Agent, createAgent } from "./agent.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

it("is gone on with when the store failed, and what was heard meanwhile is answered once", async () => {
  const character = stageCharacter();
  const clock = createSetClock();
  const kept = createMemoryStore({ clock });
  let failures = 2;
  const made: string[] = [];
  const recover: Store["jobs"]["recover"] = async (agentId) => {
    failures -= 1;
    if (failures >= 0) throw new StoreError("unavailable", "the disk is busy");
    return kept.jobs.recover(agentId);
  };
  const store = { ...kept, jobs: { ...kept.jobs, recover } };
  const client = createScriptedClient({ agentId: character.id ?? "" });
  const model = createScriptedModel(['{"text":"Here I am."}']);
  const agent = createAgent({
    ...{ character, store, clock, clients: [client], random: () => 0.5, log: silentLog, owner: "test" },
    models: { TEXT_SMALL: model, TEXT_LARGE: model },
    capabilities: [() => ({ name: "once", start: () => void made.push("started") })],
  });
  agents.push(agent);
  await agent.start({ isQuick: true });
  await client.hear("Hello Ada");
  await clock.advance(60_000);
  await agent.idle();
  expect(client.shown().map(({ text }) => text)).toEqual(["Here I am."]);
  expect(made).toEqual(["started"]);
});
