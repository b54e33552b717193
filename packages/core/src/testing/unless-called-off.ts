import { ModelError } from "../errors.ts";

/**
 * Waits for a double's answer, but not past an abort.
 * @throws ModelError `aborted` naming the double.
 */
export async function unlessCalledOff<Value>(work: Promise<Value>, signal: AbortSignal, id: string): Promise<Value> {
  const toAborted = (): ModelError => new ModelError("aborted", `The call of ${id} was called off`);
  if (signal.aborted) throw toAborted();
  let onAbort = (): void => undefined;
  const calledOff = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(toAborted());
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, calledOff]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
