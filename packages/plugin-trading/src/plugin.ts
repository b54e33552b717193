import type { Plugin } from "@troupe/core";
import { ordersProvider } from "./orders-provider.ts";
import { takeOrder } from "./take-order.ts";
import { TradingService } from "./trading-service.ts";

/** Orders to buy, from those who may give them, in a book that lasts. */
export const tradingPlugin: Plugin = {
  name: "trading",
  description: "Takes orders to buy shares from those who may give them.",
  services: [TradingService],
  providers: [ordersProvider],
  actions: [takeOrder],
};
