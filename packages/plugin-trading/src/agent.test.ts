import { createStages } from "@troupe/core/testing";
import { afterEach, expect, it } from "vitest";
import { tradingPlugin } from "./plugin.ts";

const stages = createStages();
afterEach(() => stages.close());

const order = JSON.stringify({
  actions: [{ name: "TAKE_ORDER", parameters: { ticker: "acme", conviction: "high" } }],
  text: "Writing that down.",
});

const open = (admins: readonly string[], script: readonly string[]) =>
  stages.open({
    script,
    plugins: [tradingPlugin],
    character: { settings: { maxSteps: 1, pluginConfig: { trading: { admins } } } },
  });

it("takes an order in a conversation and tells the room", async () => {
  const { say, texts, model } = await open(["scripted:user"], [order]);
  await say("Buy ACME, I am certain.");
  expect(texts()).toEqual(["Writing that down.", "Order taken: 10 × ACME."]);
  expect(model.requests[0]?.messages.map(({ content }) => content).join("\n")).toContain("TAKE_ORDER");
});

it("does not even offer it to somebody who may not", async () => {
  const { say, texts, model, journal } = await open([], [order, '{"text": "You may not."}']);
  await say("Buy ACME, I am certain.");
  expect(model.requests[0]?.messages.map(({ content }) => content).join("\n")).not.toContain("TAKE_ORDER");
  expect(texts()).not.toContain("Order taken: 10 × ACME.");
  expect(await journal()).toContainEqual(expect.objectContaining({ type: "action_result", success: false }));
});
