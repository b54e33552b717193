export { type Conviction, convictions, createOrder, type Order } from "./order.ts";
export { ordersProvider } from "./orders-provider.ts";
export { tradingPlugin } from "./plugin.ts";
export { takeOrder } from "./take-order.ts";
export { serviceType, TradingService } from "./trading-service.ts";
