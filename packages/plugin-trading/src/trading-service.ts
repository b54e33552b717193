import { type Cache, type Runtime, type Service, TroupeError } from "@troupe/core";
import { readConfig, type TradingConfig } from "./config.ts";
import { bookSchema, createOrder, type Order, type OrderRequest } from "./order.ts";

/** What the service is asked for by: `runtime.getService<TradingService>(serviceType)`. */
export const serviceType = "trading";

const bookKey = "trading:book";
const mostTries = 20;

/**
 * Keeps the order book. It lies in the agent's cache, so that it holds over restarts; two orders at once both get in, because
 * a book is only written over the version it was read at. Running from start to stop; a stopped one takes no orders.
 */
export class TradingService implements Service {
  static readonly serviceType = serviceType;
  readonly config: TradingConfig;
  readonly #cache: Cache;
  #isOpen = true;

  constructor(config: TradingConfig, cache: Cache) {
    this.config = config;
    this.#cache = cache;
  }

  /** Opens the book of this agent. @throws ValidationError when its configuration is wrong. */
  static start({ config, cache }: Runtime): TradingService {
    return new TradingService(readConfig(config), cache);
  }

  stop(): void {
    this.#isOpen = false;
  }

  /** What stands in the book, oldest first. */
  async orders(): Promise<readonly Order[]> {
    return bookSchema.parse((await this.#cache.get(bookKey)) ?? []);
  }

  /**
   * Takes an order, once: the same id a second time gives the order that is there. Null when there is no conviction.
   * @throws TroupeError `unavailable` when the book is closed, `conflict` when others were faster every time.
   */
  async take(request: OrderRequest): Promise<Order | null> {
    const order = createOrder(request, this.config.units);
    if (!order) return null;
    for (let tries = 0; tries < mostTries; tries++) {
      if (!this.#isOpen) throw new TroupeError("unavailable", "The order book is closed; try again after the restart.");
      const found = await this.#cache.getVersioned(bookKey);
      const book = bookSchema.parse(found?.value ?? []);
      const known = book.find(({ id }) => id === order.id);
      if (known) return known;
      if (await this.#cache.set(bookKey, [...book, order], { ifVersion: found?.version ?? 0 })) return order;
    }
    throw new TroupeError("conflict", "Too many orders came at once; give this one again.");
  }
}
