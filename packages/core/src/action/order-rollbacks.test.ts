import { describe, expect, it } from "vitest";
import type { RegisteredAction } from "./action.ts";
import { orderRollbacks } from "./order-rollbacks.ts";

const action = (name: string, dependencies: readonly string[] = [], canUndo = true): RegisteredAction => ({
  name,
  description: "",
  similes: [],
  policy: { dependencies },
  run: async () => ({ success: true }),
  ...(canUndo && { rollback: async () => undefined }),
});
const login = action("LOGIN");
const cart = action("FILL_CART", ["login"]);
const pay = action("PAY", ["fill cart"]);
const look = action("LOOK", [], false);
const order = (
  failed: RegisteredAction,
  ...soFar: readonly (readonly [string, RegisteredAction | null, boolean])[]
): string[] =>
  orderRollbacks(
    soFar.map(([callId, one, success]) => ({ callId, action: one, success })),
    failed,
  ).map(({ callId }) => callId);

describe("orderRollbacks", () => {
  it("undoes what the failed action depends on, by way of others too, newest first", () => {
    expect(order(pay, ["1", login, true], ["2", cart, true], ["3", cart, true])).toEqual(["3", "2", "1"]);
  });

  it("leaves alone what failed, what nothing depends on, and what cannot be undone", () => {
    const failed = action("FAILED", ["LOOK", "LOGIN", "FILL_CART"]);
    expect(
      order(failed, ["1", login, true], ["2", look, true], ["3", cart, false], ["4", pay, true], ["5", null, true]),
    ).toEqual(["1"]);
    expect(order(login, ["1", cart, true])).toEqual([]);
  });

  it("follows a dependency through a call that failed, and ends for a circle", () => {
    expect(order(pay, ["1", login, true], ["2", cart, false])).toEqual(["1"]);
    const left = action("LEFT", ["RIGHT"]);
    const right = action("RIGHT", ["LEFT"]);
    expect(order(left, ["1", left, true], ["2", right, true])).toEqual(["2", "1"]);
  });
});
