import type { Interactions } from "../interactions.ts";
import type { World, WorldEvent } from "../world.ts";

/** How long to wait at most. */
export type Waiting = {
  /** Ends the waiting early. */
  readonly signal?: AbortSignal;
  /** 10 seconds when absent; real time, whatever the clock says. */
  readonly timeoutMs?: number;
};

/** What the people and places of a simulated world stand on. */
export type Stage = {
  readonly world: World;
  readonly interactions: Interactions;
};

/**
 * Waits until something is there, looking now and after everything that happens.
 * @throws Error naming `what` when the time is over, or the signal's reason.
 */
export function waitUntil<T>(
  world: World,
  wanted: { readonly what: string; readonly find: () => T | null },
  waiting: Waiting = {},
): Promise<T> {
  const found = wanted.find();
  if (found !== null) return Promise.resolve(found);
  return waitFor(world, { what: wanted.what, pick: () => wanted.find() }, waiting);
}

/** Waits for something to happen. @throws Error naming `what` when the time is over, or the signal's reason. */
export function waitFor<T>(
  world: World,
  wanted: { readonly what: string; readonly pick: (event: WorldEvent) => T | null },
  { signal, timeoutMs = 10_000 }: Waiting = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      unlisten();
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal?.reason instanceof Error ? signal.reason : new Error(`waiting for ${wanted.what} was given up`));
    };
    const unlisten = world.listen((event) => {
      const picked = wanted.pick(event);
      if (picked === null) return;
      end();
      resolve(picked);
    });
    const timer = setTimeout(() => {
      end();
      reject(new Error(`${wanted.what} did not come within ${timeoutMs} ms`));
    }, timeoutMs);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  });
}
