import { type Action, type Runtime, ValidationError } from "@troupe/core";
import { convictions } from "./order.ts";
import { mayTrade } from "./permission.ts";
import { serviceType, type TradingService } from "./trading-service.ts";

/** Takes an order to buy from somebody who may give one. */
export const takeOrder: Action = {
  name: "TAKE_ORDER",
  description: "Puts an order to buy a share into the order book, for somebody who asks for it by its ticker.",
  similes: ["BUY", "PLACE_ORDER", "BUY_SHARES"],
  tags: ["trading"],
  parameters: [
    {
      name: "ticker",
      description: "The share's symbol, as at the exchange.",
      required: true,
      schema: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9.-]{0,9}$" },
      examples: ["ACME", "BRK.B"],
    },
    {
      name: "conviction",
      description: "How sure they are of it; none: they only think aloud, and nothing is bought.",
      required: true,
      schema: { type: "string", enum: convictions },
    },
  ],
  examples: [
    [
      { name: "{{user1}}", content: { text: "Buy ACME, I am certain of it." } },
      { name: "{{agentName}}", content: { text: "Writing that down.", actions: ["TAKE_ORDER"] } },
    ],
  ],
  rateLimit: { limit: 20, windowMs: 60_000, per: "entity" },
  idempotent: true,

  async validate(runtime, message) {
    const entity = await runtime.getEntity(message.entityId);
    if (mayTrade(entity, serviceOf(runtime).config)) return true;
    return { pass: false, reason: "this person may not give orders (settings.pluginConfig.trading: admins, roles)" };
  },

  async handler(runtime, message, _state, { parameters, idempotencyKey }) {
    const ticker = String(parameters["ticker"]);
    const conviction = convictions.find((one) => one === parameters["conviction"]);
    if (!conviction) throw new ValidationError(`A conviction is one of ${convictions.join(", ")}.`);
    const { entityId, createdAt: at } = message;
    const order = await serviceOf(runtime).take({ id: idempotencyKey, ticker, conviction, entityId, at });
    if (!order) return { success: true, text: `Nothing was bought: no conviction in ${ticker.toUpperCase()}.` };
    return {
      success: true,
      text: `Order taken: ${order.units} × ${order.ticker}.`,
      values: { lastOrder: `${order.units} × ${order.ticker}` },
      data: order,
    };
  },
};

function serviceOf(runtime: Runtime): TradingService {
  const service = runtime.getService<TradingService>(serviceType);
  if (!service) throw new ValidationError("Trading is not running; load the plugin trading.");
  return service;
}
