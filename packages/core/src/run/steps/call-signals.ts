/** Signals for many calls under one: whoever listens at one of them is not listed among all the others. */
export type CallSignals = {
  /** A signal that aborts with the outer one, until `end`. */
  derive(): { readonly signal: AbortSignal; end(): void };
};

/** One listener at the outer signal serves all calls; a signal's own list is walked at every listening. */
export function createCallSignals(outer: AbortSignal): CallSignals {
  const open = new Set<AbortController>();
  let isListening = false;
  const abortAll = (): void => {
    for (const controller of open) controller.abort(outer.reason);
  };
  return {
    derive() {
      if (!isListening) outer.addEventListener("abort", abortAll, { once: true });
      isListening = true;
      const controller = new AbortController();
      open.add(controller);
      if (outer.aborted) controller.abort(outer.reason);
      return { signal: controller.signal, end: () => void open.delete(controller) };
    },
  };
}
