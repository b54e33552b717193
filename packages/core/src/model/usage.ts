import type { JsonValue } from "../json.ts";

/** Tokens one call used. `cachedInputTokens` are part of `inputTokens`; all are 0 where a vendor counts otherwise. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
};

/** Who answered a call that is answered at once, and what it cost. */
export type ModelCost = {
  /** The model that answered, `provider:name`; another than asked when a fallback stepped in. */
  readonly model: string;
  readonly usage: Usage;
  /** Millionths of a US dollar by the price table; absent when the model's price is unknown. */
  readonly costMicrousd?: number;
  /** What happened on the way that an operator should know: retries, a fallback. Data for the journal. */
  readonly notes?: readonly JsonValue[];
};
