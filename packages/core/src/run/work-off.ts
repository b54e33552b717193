import { TroupeError } from "../errors.ts";
import type { Lease } from "../store/store.ts";
import { coalesce } from "./coalesce.ts";
import type { RunParts } from "./run.ts";

/** What answers is loaded once the agent hears, so that it hears sooner; nothing accepted waits for it longer than before. */
export const loadEngine = (): Promise<typeof import("./perform-run.ts")> => import("./perform-run.ts");

/** Works off what is leased, one run a context, and can call it off. */
export type Worker = {
  work(lease: Lease, stopSignal: AbortSignal): Promise<Lease | null>;
  /** Calls off the run that is under way in a context; says whether there was one. */
  abort(contextId: string): boolean;
};

/** A worker with nothing under way. */
export function createWorker(parts: RunParts): Worker {
  const underWay = new Map<string, AbortController>();
  return {
    async work(lease, stopSignal) {
      const { contextId } = lease.fence;
      const { performRun } = await loadEngine();
      const calledOff = new AbortController();
      underWay.set(contextId, calledOff);
      try {
        return await performRun(await coalesce(lease, parts, stopSignal), parts, stopSignal, calledOff.signal);
      } finally {
        underWay.delete(contextId);
      }
    },
    abort(contextId) {
      const calledOff = underWay.get(contextId);
      calledOff?.abort(new TroupeError("aborted", "The run was called off."));
      return calledOff !== undefined;
    },
  };
}
