import { createMemoryStore, createSetClock, createTestRuntime } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { tradingPlugin } from "./plugin.ts";
import { serviceType, type TradingService } from "./trading-service.ts";

const character = {
  name: "Ada",
  bio: "A broker.",
  settings: { pluginConfig: { trading: { admins: ["test:bo"], roles: ["trader"], units: { high: 12 } } } },
} as const;

const open = (store = createMemoryStore()) => createTestRuntime({ plugins: [tradingPlugin], character, store });

const order = { ticker: "acme", conviction: "high" } as const;
const fromBo = { message: { text: "Buy ACME", from: "bo" } } as const;

describe("TAKE_ORDER", () => {
  it("puts an order into the book", async () => {
    const { act, compose, close } = await open();
    const { result } = await act("buy", order, fromBo);
    expect(result).toMatchObject({
      success: true,
      text: "Order taken: 12 × ACME.",
      values: { lastOrder: "12 × ACME" },
      data: { ticker: "ACME", conviction: "high", units: 12 },
    });
    const { texts, values } = await compose(["ORDERS"]);
    expect(texts.map(({ text }) => text)).toEqual(["# Order book\n- 12 × ACME (high)"]);
    expect(values).toEqual({ orderCount: 1 });
    await close();
  });

  it("buys nothing without conviction", async () => {
    const { act, compose, close } = await open();
    const { result } = await act("TAKE_ORDER", { ...order, conviction: "none" }, fromBo);
    expect(result).toEqual({ success: true, text: "Nothing was bought: no conviction in ACME." });
    expect((await compose(["ORDERS"])).texts[0]?.text).toBe("The order book is empty.");
    await close();
  });

  it("takes the same call once, however often it runs", async () => {
    const { act, compose, hear, close } = await open();
    const message = await hear(fromBo.message);
    await act("TAKE_ORDER", order, { message, runId: "r" });
    await act("TAKE_ORDER", order, { message, runId: "r" });
    expect((await compose(["ORDERS"])).values).toEqual({ orderCount: 1 });
    await close();
  });

  it.each([
    [{ ticker: "", conviction: "high" }, "ticker"],
    [{ ticker: "DROP TABLE", conviction: "high" }, "ticker"],
    [{ ticker: "ACME", conviction: "absolute" }, "conviction"],
    [{ conviction: "high" }, "ticker"],
    [{ ticker: "ACME" }, "conviction"],
  ])("refuses %j and names the parameter", async (parameters, name) => {
    const { act, close } = await open();
    const { result, refused } = await act("TAKE_ORDER", parameters, fromBo);
    expect(refused).toBe("parameters");
    expect(result.error).toContain(name);
    await close();
  });

  it.each([
    ["an admin", "bo", [], undefined],
    ["a trader", "cy", ["trader"], undefined],
    ["somebody with another role", "cy", ["guest"], "validate"],
    ["somebody who calls himself like an admin's id", "test:bo", [], "validate"],
  ])("asks who gives the order: %s", async (_, from, roles, expected) => {
    const { act, hear, runtime, close } = await open();
    const message = await hear({ text: "Buy ACME", from });
    const entity = await runtime.getEntity(message.entityId);
    if (!entity) throw new Error("the author of a message is known");
    await runtime.transaction([{ type: "entity.put", entity: { ...entity, name: "test:bo", data: { roles } } }]);
    const { refused } = await act("TAKE_ORDER", order, { message });
    expect(refused).toBe(expected);
    await close();
  });

  it("takes no more than twenty orders a minute from one person", async () => {
    const { act, clock, close } = await open();
    for (let count = 0; count < 20; count++) expect((await act("TAKE_ORDER", order, fromBo)).refused).toBeUndefined();
    expect((await act("TAKE_ORDER", order, fromBo)).refused).toBe("rate-limit");
    await clock.advance(60_000);
    expect((await act("TAKE_ORDER", order, fromBo)).result.success).toBe(true);
    await close();
  });
});

describe("the order book", () => {
  it("loses none of the orders that come at once", async () => {
    const { runtime, close } = await open();
    const service = runtime.getService<TradingService>(serviceType);
    const request = { ticker: "A", conviction: "low", entityId: "e", at: 0 } as const;
    await Promise.all(Array.from({ length: 8 }, (_, at) => service?.take({ ...request, id: String(at) })));
    expect(await service?.orders()).toHaveLength(8);
    await close();
  });

  it("holds over a restart", async () => {
    const store = createMemoryStore();
    const kept = { ...store, admin: { ...store.admin, close: async () => undefined } };
    const first = await open(kept);
    await first.act("TAKE_ORDER", order, fromBo);
    const before = first.runtime.getService<TradingService>(serviceType);
    await first.close();
    const second = await createTestRuntime({ plugins: [tradingPlugin], character, store, clock: createSetClock() });
    expect((await second.compose(["ORDERS"])).values).toEqual({ orderCount: 1 });
    const late = { id: "x", ticker: "A", conviction: "low", entityId: "e", at: 0 } as const;
    await expect(before?.take(late)).rejects.toThrow(/closed/);
    await second.close();
  });
});

it("cannot be installed with a wrong configuration, and says what is wrong with it", async () => {
  const wrong = { ...character, settings: { pluginConfig: { trading: { admins: "bo", units: { low: 0 } } } } };
  await expect(createTestRuntime({ plugins: [tradingPlugin], character: wrong })).rejects.toThrow(
    /trading: settings\.pluginConfig is wrong: trading\.admins: .*trading\.units\.low: /,
  );
});
