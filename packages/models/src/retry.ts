/** How often and how patiently a failed call is repeated. */
export type RetryPolicy = {
  /** Calls in all, the first included; at least 1. */
  readonly attempts: number;
  /** Wait before the second call; doubled before each further one. */
  readonly initialMs: number;
  /** The longest wait. A vendor that asks for more is not waited for: its error is thrown, with `retryAfterMs`. */
  readonly maxMs: number;
};

/** Three calls, the waits about half a second and one second. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, initialMs: 500, maxMs: 30_000 };

/**
 * Milliseconds to wait after the `attempt`-th call (1-based) failed: doubling, half of it by chance, so that many agents do
 * not come back at the same moment; never less than the vendor asked for.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  const ceilingMs = Math.min(policy.maxMs, policy.initialMs * 2 ** (attempt - 1));
  const ownMs = ceilingMs / 2 + (ceilingMs / 2) * random();
  return Math.round(Math.max(ownMs, retryAfterMs ?? 0));
}

/**
 * How long a vendor asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
 * Names in lower case. Undefined when neither is there or readable; never negative.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const milliseconds = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const dateMs = text === "" ? Number.NaN : Date.parse(text);
  return Number.isFinite(dateMs) ? Math.max(0, dateMs - nowMs) : undefined;
}
