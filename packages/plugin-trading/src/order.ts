import { z } from "zod";
import type { TradingConfig } from "./config.ts";

/** How sure somebody is of an order, least first; it says how much is bought. */
export const convictions = ["none", "low", "medium", "high"] as const;

/** One of {@link convictions}. */
export type Conviction = (typeof convictions)[number];

const orderSchema = z.object({
  id: z.string(),
  ticker: z.string(),
  conviction: z.enum(convictions),
  units: z.number(),
  /** Who gave it. */
  entityId: z.string(),
  /** Epoch milliseconds. */
  takenAt: z.number(),
});

/** An order as it stands in the book. */
export type Order = z.infer<typeof orderSchema>;

/** What stands in the book, oldest first. */
export const bookSchema = z.array(orderSchema);

/** What somebody asks for. `id` is the same however often the same request is made. */
export type OrderRequest = Pick<Order, "id" | "ticker" | "conviction" | "entityId"> & { readonly at: number };

/** The order a request comes to, or null when there is no conviction behind it. */
export function createOrder({ at, ...request }: OrderRequest, units: TradingConfig["units"]): Order | null {
  const { conviction } = request;
  if (conviction === "none") return null;
  return { ...request, ticker: request.ticker.toUpperCase(), units: units[conviction], takenAt: at };
}
