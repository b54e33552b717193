import { afterEach, expect, it } from "vitest";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

it("asks the model that is set for decisions, and the small one where there is none", async () => {
  const judge = createScriptedModel(["[IGNORE]"], { id: "scripted:judge" });
  const { agent, client, small, store } = await stages.open({ script: [], models: { SHOULD_RESPOND: judge } });
  const { memory } = await client.hear("nice weather", { channelType: "group" });
  await agent.idle();
  expect([judge.requests.length, small.requests.length]).toEqual([1, 0]);
  expect(await store.inbox.find(agent.agentId, memory.id)).toMatchObject({
    reason: expect.stringContaining("scripted:judge was asked and said ignore"),
  });
});
