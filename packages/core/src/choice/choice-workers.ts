import { TroupeError } from "../errors.ts";
import type { ChoiceWorker, ChoiceWorkers } from "./choice-worker.ts";

/** Workers of choices, by kind. */
export function createChoiceWorkers(): ChoiceWorkers {
  const workers = new Map<string, { readonly worker: ChoiceWorker; readonly owner: string }>();
  return {
    of: (kind) => workers.get(kind)?.worker ?? null,
    add(kind, worker, owner) {
      const holder = workers.get(kind);
      if (holder) {
        throw new TroupeError(
          "conflict",
          `${owner} wants to be told of choices of kind ${kind}, as ${holder.owner} is already; call one of the two differently`,
        );
      }
      const entry = { worker, owner };
      workers.set(kind, entry);
      return () => {
        if (workers.get(kind) === entry) workers.delete(kind);
      };
    },
  };
}
