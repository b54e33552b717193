import type { State } from "../state/provider.ts";
import type { ModelUse } from "./ask-model.ts";

/** The runs under way in this process, for what plugins do within them. */
export type OpenRuns = {
  /** From now on until the returned function is called, what plugins spend within the run is told to `onModelUsed`. */
  enter(runId: string, onModelUsed: (use: ModelUse) => void): () => void;
  /** Tells the run a question was put in what it cost; false when it was put outside any run, or the run is over. */
  countUse(use: ModelUse): boolean;
  /** What was composed within a run so far, by what was asked for; gone with the run. */
  statesOf(runId: string): Map<string, Promise<State>> | undefined;
};

type OpenRun = {
  readonly onModelUsed: (use: ModelUse) => void;
  readonly states: Map<string, Promise<State>>;
};

/** No runs yet. */
export function createOpenRuns(): OpenRuns {
  const runs = new Map<string, OpenRun>();
  return {
    enter(runId, onModelUsed) {
      const run = { onModelUsed, states: new Map() };
      runs.set(runId, run);
      return () => {
        if (runs.get(runId) === run) runs.delete(runId);
      };
    },
    countUse(use) {
      const run = use.runId === undefined ? undefined : runs.get(use.runId);
      run?.onModelUsed(use);
      return run !== undefined;
    },
    statesOf: (runId) => runs.get(runId)?.states,
  };
}
