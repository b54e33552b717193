import type { CallState, RunState, StepState } from "../run-state.ts";

/** What a run's entries hold that the model was not shown in a question it answered completely. */
export type News = {
  /** `entrySeq`s of the inputs. */
  readonly inputs: readonly RunState["inputs"][number][];
  /** Calls whose results are to be seen: every failure, and what the world answered. */
  readonly results: readonly CallState[];
  /** Why something said did not arrive. */
  readonly undelivered: readonly string[];
  /** An answer broke off, or a part of it could not be read. */
  readonly isCut: boolean;
};

/** The results of a step that the model is to see, in the order of the calls. */
export function tellableCalls(step: StepState, isControl: (name: string) => boolean): readonly CallState[] {
  return step.calls.filter(({ name, parentCallId, isOutput, result }) => {
    if (parentCallId !== undefined || result === null) return false;
    return !result.success || !(isOutput === true || isControl(name));
  });
}

/** What is new to the model. Pure: told by the entries alone, before a crash and after it. */
export function newsOf(state: RunState, isControl: (name: string) => boolean): News {
  const isNew = (seq: number | undefined): boolean => seq !== undefined && seq > state.processed;
  return {
    inputs: state.inputs.filter(({ entrySeq }) => isNew(entrySeq)),
    results: state.steps
      .filter(({ lastSeq }) => isNew(lastSeq))
      .flatMap((step) => tellableCalls(step, isControl))
      .filter(({ resultSeq }) => isNew(resultSeq)),
    undelivered: state.steps
      .flatMap(({ outputs }) => outputs)
      .filter((output) => output.state === "failed" && !output.isWithdrawn && isNew(output.receiptSeq))
      .map(({ error }) => error ?? "The platform refused it."),
    isCut: state.steps.some(({ cutSeq }) => isNew(cutSeq)),
  };
}
