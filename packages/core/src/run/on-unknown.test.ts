import { afterEach, expect, it } from "vitest";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

it("holds or sends again a message of unknown outcome as the client's settings for the room say", async () => {
  const shown = async (policy: "hold" | undefined) => {
    const asked: string[] = [];
    const onUnknown = ({ target }: { readonly target: string }) => {
      asked.push(target);
      return policy;
    };
    const { client, texts, agent, store, clock } = await stages.open({
      script: ['{"text": "Hello."}'],
      client: { guarantee: "none", onUnknown },
    });
    client.failNext({ type: "unknown", isApplied: false });
    const heard = await client.hear("hi");
    while (clock.sleepers() === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(60_000);
    await agent.idle();
    expect(asked).toEqual([heard.room.platformId]);
    const [row] = await store.outbox.list(agent.agentId, { limit: 1, states: ["uncertain", "sent"] });
    return { texts: texts(), state: row?.state };
  };
  expect(await shown("hold")).toEqual({ texts: [], state: "uncertain" });
  expect(await shown(undefined)).toEqual({ texts: ["Hello."], state: "sent" });
});
