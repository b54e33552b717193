import { expect, it } from "vitest";
import type { RegisteredAction } from "./action.ts";
import { createActionTools } from "./action-tools.ts";
import { builtInActions } from "./built-in-actions.ts";

const order: RegisteredAction = {
  name: "TAKE ORDER",
  description: "Buys or sells.",
  similes: ["BUY"],
  parameters: [
    {
      name: "side",
      description: "Which way.",
      required: true,
      schema: { type: "string", enumValues: ["buy", "sell"] },
      examples: ["buy"],
    },
  ],
  run: async () => ({ success: true }),
};

it("offers every action but those that only say the text", () => {
  const { tools, names } = createActionTools([...builtInActions, order]);
  expect(tools.map(({ name }) => name)).toEqual(["CONTINUE", "IGNORE", "STOP", "TAKE_ORDER"]);
  expect(names.toAction("TAKE_ORDER")).toBe("TAKE ORDER");
});

it("gives an action without parameters an empty object to take", () => {
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  expect(createActionTools(builtInActions).tools[0]?.parameters).toEqual(parameters);
});

it("says what the parameters are in plain JSON Schema", () => {
  expect(createActionTools([order]).tools[0]).toMatchObject({
    description: "Buys or sells.",
    parameters: {
      type: "object",
      properties: { side: { type: "string", description: "Which way.", enum: ["buy", "sell"] } },
      required: ["side"],
    },
  });
});
