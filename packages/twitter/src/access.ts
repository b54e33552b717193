import type { Clock, Log } from "@troupe/core";
import type { ClientError } from "@troupe/core/errors";
import type { Call, TwitterApi } from "./api.ts";
import type { Budget, Importance } from "./budget.ts";
import { type Failure, failureFields, readFailure, toFatal, WithheldError } from "./errors.ts";
import { fieldsOf } from "./payload.ts";
import type { Spending } from "./spending.ts";

/** For what and for whom a call is made. */
export type Purpose = { readonly importance: Importance; readonly signal: AbortSignal };

/** The API within X's limits and the day's money. */
export type Access = {
  /**
   * Resolves with the body of the answer.
   * @throws WithheldError when it would go over a limit: nothing was asked; else what {@link TwitterApi} throws.
   */
  call(call: Call, purpose: Purpose): Promise<unknown>;
  /** A read with at most so many results as there is money for; at least `least`. */
  page(call: Call, size: { readonly least: number; readonly most: number }, purpose: Purpose): Promise<unknown>;
  readonly isDry: boolean;
};

/** What access is made of. */
export type AccessParts = {
  readonly api: TwitterApi;
  readonly budget: Budget;
  readonly spending: Spending;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** Told when X refuses for good. */
  readonly onFatal: (error: ClientError) => void;
};

/** Calls that are counted before they are made. */
export function createAccess(parts: AccessParts): Access {
  const { api, budget, spending, clock, log } = parts;

  const failed = (endpoint: string, error: unknown): Failure => {
    const failure = readFailure(error, clock.now());
    const isTold = budget.note(endpoint, fieldsOf(fieldsOf(error)?.["headers"]) ?? {});
    if (failure.type === "refused" && failure.kind === "rate") {
      if (!isTold) budget.pause(endpoint, failure.retryInMs ?? 60_000);
      log.warn({ endpoint, ...failureFields(failure) }, "X asks to wait before more is asked of it");
    }
    const fatal = toFatal(failure);
    if (fatal) parts.onFatal(fatal);
    return failure;
  };

  const call: Access["call"] = async (wanted, { importance, signal }) => {
    const endpoint = `${wanted.method} /2/${wanted.path}`;
    if (api.isDry && wanted.method !== "GET") return (await api.call(wanted, signal)).body;
    const waitMs = budget.waitMs(endpoint, importance);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      throw new WithheldError("rate", `X's limit for ${endpoint} is used up for ${seconds} s.`, waitMs);
    }
    const reservation = await spending.reserve(wanted, importance);
    budget.begin(endpoint);
    try {
      const { body, headers } = await api.call(wanted, signal);
      budget.note(endpoint, headers);
      await reservation.settle(body);
      return body;
    } catch (error) {
      const failure = failed(endpoint, error);
      // What nobody knows may have cost something.
      if (failure.type !== "cut") await reservation.release();
      throw error;
    }
  };

  return {
    isDry: api.isDry,
    call,
    page(wanted, { least, most }, purpose) {
      const affordable = Math.max(least, Math.min(most, spending.resultsLeft(wanted, purpose.importance)));
      return call({ ...wanted, query: { ...wanted.query, max_results: affordable } }, purpose);
    },
  };
}
