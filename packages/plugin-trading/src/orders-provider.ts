import type { Provider } from "@troupe/core";
import { serviceType, type TradingService } from "./trading-service.ts";

const mostShown = 20;

/** What stands in the order book; the model may ask for it. */
export const ordersProvider: Provider = {
  name: "ORDERS",
  description: "The orders that stand in the order book.",
  dynamic: true,
  async get(runtime) {
    const orders = (await runtime.getService<TradingService>(serviceType)?.orders()) ?? [];
    const lines = orders
      .slice(-mostShown)
      .map(({ units, ticker, conviction }) => `- ${units} × ${ticker} (${conviction})`);
    const text = lines.length === 0 ? "The order book is empty." : `# Order book\n${lines.join("\n")}`;
    return { text, values: { orderCount: orders.length } };
  },
};
