import { afterEach, expect, it } from "vitest";
import type { CapabilityParts } from "../capability/capability.ts";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

it("writes texts anew that were forgotten, so that later runs can be explained", async () => {
  const given: CapabilityParts[] = [];
  const { agent, say, store, journal } = await stages.open({
    script: () => '{"text":"Hello."}',
    capabilities: [
      (parts) => {
        given.push(parts);
        return { name: "test" };
      },
    ],
  });
  await say("Good morning to you all");
  const { entityId = "" } = (await store.memories.lastHeard(agent.agentId)) ?? {};
  await given[0]?.store.admin.forget(agent.agentId, { type: "entity", entityId });
  await say("Good morning to you all");
  const prompt = (await journal()).find(({ type }) => type === "prompt");
  const hashes = prompt?.type === "prompt" ? prompt.parts.map(({ part }) => part) : [];
  expect(hashes.length).toBeGreaterThan(1);
  expect([...(await store.journal.parts(agent.agentId, hashes)).keys()].sort()).toEqual([...new Set(hashes)].sort());
});
