import type { Clock } from "../options.ts";
import type { Application } from "../world.ts";

const windowMs = 5000;
const dayMs = 24 * 60 * 60 * 1000;
const startsPerDay = 1000;

/**
 * How often bots may identify: `max_concurrency` at once every five seconds, one per key, and 1,000 times a day.
 * @see https://discord.com/developers/docs/events/gateway#sharding-max-concurrency
 */
export type IdentifyLimit = {
  /** Whether it may now; counts it if so. */
  take(application: Application, shardId: number): boolean;
  /** What `GET /gateway/bot` tells. */
  startsOf(application: Application): {
    readonly total: number;
    readonly remaining: number;
    readonly reset_after: number;
    readonly max_concurrency: number;
  };
};

/** Makes one. `isLimited` false: everything is allowed, and counted. */
export function createIdentifyLimit(clock: Clock, isLimited: boolean): IdentifyLimit {
  const lastMs = new Map<string, number>();
  const days = new Map<string, { sinceMs: number; count: number }>();
  const dayOf = (application: Application): { sinceMs: number; count: number } => {
    const old = days.get(application.id);
    if (old && clock.now() - old.sinceMs < dayMs) return old;
    const day = { sinceMs: clock.now(), count: 0 };
    days.set(application.id, day);
    return day;
  };
  return {
    take(application, shardId) {
      const key = `${application.id}/${shardId % application.maxConcurrency}`;
      const day = dayOf(application);
      const isEarly = clock.now() - (lastMs.get(key) ?? Number.NEGATIVE_INFINITY) < windowMs;
      if (isLimited && (isEarly || day.count >= startsPerDay)) return false;
      lastMs.set(key, clock.now());
      day.count += 1;
      return true;
    },
    startsOf(application) {
      const day = dayOf(application);
      return {
        total: startsPerDay,
        remaining: Math.max(0, startsPerDay - day.count),
        reset_after: Math.max(0, day.sinceMs + dayMs - clock.now()),
        max_concurrency: application.maxConcurrency,
      };
    },
  };
}
