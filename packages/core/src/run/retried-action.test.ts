import { afterEach, describe, expect, it } from "vitest";
import { ActionError, ValidationError } from "../errors.ts";
import type { Action } from "../plugin/action-shape.ts";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const order = (fails: (attempt: number) => unknown, more: Partial<Action> = {}): Action => {
  let attempts = 0;
  return {
    name: "ORDER",
    description: "Orders bread.",
    validate: () => true,
    retry: { attempts: 3, initialMs: 100, multiplier: 1, maxMs: 100 },
    handler: () => {
      attempts += 1;
      const error = fails(attempts);
      if (error !== undefined) throw error;
      return { success: true, text: "Ordered." };
    },
    ...more,
  };
};

async function heard(action: Action): Promise<readonly string[]> {
  const { client, clock, agent, texts } = await stages.open({
    script: ['{"actions":["ORDER"],"text":"One moment."}'],
    plugins: [{ name: "bakery", actions: [action] }],
  });
  await client.hear("bread, please");
  let isIdle = false;
  void agent.idle().then(() => (isIdle = true));
  while (!isIdle) await clock.advance(10);
  return texts();
}

describe("an action that is tried again", () => {
  it("tells the room once, when the last try failed", async () => {
    expect(await heard(order(() => new ActionError("ORDER", "The bakery is closed.")))).toEqual([
      "One moment.",
      "The bakery is closed.",
    ]);
  });

  it("says it in its own words, or keeps it to itself", async () => {
    const boom = (): Error => new Error("ECONNREFUSED 10.0.0.7");
    const sorry = { describeError: () => "The bakery does not answer." };
    expect(await heard(order(boom, sorry))).toEqual(["One moment.", "The bakery does not answer."]);
    expect(await heard(order(boom))).toEqual(["One moment."]);
  });

  it("says nothing of tries that failed when a later one did not", async () => {
    const busy = (attempt: number) => (attempt < 3 ? new ActionError("ORDER", "busy") : undefined);
    expect(await heard(order(busy))).toEqual(["One moment.", "Ordered."]);
  });

  it("tells at once, and once, what no other try can mend", async () => {
    expect(await heard(order(() => new ValidationError("There is no such bread.")))).toEqual([
      "One moment.",
      "There is no such bread.",
    ]);
  });
});
