import { isLocalAddress } from "./spec.ts";

/**
 * Tokens one call was billed for. The three kinds of input do not overlap: `inputTokens` were read afresh, `cachedTokens`
 * from the vendor's cache, `cacheWriteTokens` were read afresh and kept there.
 */
export type BilledTokens = {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
};

/** US dollars per million tokens, which is the same number as millionths of a dollar per token. */
type Price = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** What keeping input in the cache costs; absent: nothing beyond the input. */
  readonly cacheWrite?: number;
  /** A prompt longer than `tokens` is billed by these factors, the whole of it. */
  readonly long?: { readonly tokens: number; readonly input: number; readonly output: number };
};

const OPENAI_LONG = { tokens: 272_000, input: 2, output: 1.5 };
const HAIKU_LONG = { tokens: 100_000, input: 5, output: 5 };

/**
 * List prices for standard requests, as of 2026-11-20. A model that is not here has no known price: better none than a wrong one.
 * @see https://developers.openai.com/api/docs/pricing
 * @see https://platform.claude.com/docs/en/about-claude/pricing
 */
const PRICES: Readonly<Record<string, Price>> = {
  "gpt-6-astra": { input: 10, cached: 1, output: 50, cacheWrite: 12.5, long: OPENAI_LONG },
  "gpt-6.1-sol": { input: 2, cached: 0.1, output: 10, cacheWrite: 2.5, long: OPENAI_LONG },
  "gpt-6.1-terra": { input: 1, cached: 0.05, output: 5, cacheWrite: 1.25, long: OPENAI_LONG },
  "gpt-6-sol": { input: 2, cached: 0.2, output: 10, cacheWrite: 2.5, long: OPENAI_LONG },
  "gpt-6-luna": { input: 0.1, cached: 0.01, output: 0.5, cacheWrite: 0.125, long: OPENAI_LONG },
  "gpt-5.6-terra": { input: 2, cached: 0.2, output: 12, cacheWrite: 2.5, long: OPENAI_LONG },
  "gpt-5.5": { input: 5, cached: 0.5, output: 30, long: OPENAI_LONG },
  "gpt-5.4": { input: 2.5, cached: 0.25, output: 15, long: OPENAI_LONG },
  "gpt-5.4-mini": { input: 0.75, cached: 0.075, output: 4.5 },
  "gpt-5.4-nano": { input: 0.2, cached: 0.02, output: 1.25 },
  "gpt-5.2": { input: 1.75, cached: 0.175, output: 14 },
  "gpt-5.1": { input: 1.25, cached: 0.125, output: 10 },
  "gpt-5": { input: 1.25, cached: 0.125, output: 10 },
  "gpt-5-mini": { input: 0.25, cached: 0.025, output: 2 },
  "gpt-5-nano": { input: 0.05, cached: 0.005, output: 0.4 },
  "gpt-4.1": { input: 2, cached: 0.5, output: 8 },
  "gpt-4.1-mini": { input: 0.4, cached: 0.1, output: 1.6 },
  "gpt-4.1-nano": { input: 0.1, cached: 0.025, output: 0.4 },
  "gpt-4o": { input: 2.5, cached: 1.25, output: 10 },
  "gpt-4o-mini": { input: 0.15, cached: 0.075, output: 0.6 },
  "claude-fable-5-1": { input: 10, cached: 0.25, output: 50, cacheWrite: 12.5 },
  "claude-fable-5": { input: 10, cached: 1, output: 50, cacheWrite: 12.5 },
  "claude-opus-5-5": { input: 4, cached: 0.2, output: 20, cacheWrite: 5 },
  "claude-opus-5": { input: 5, cached: 0.5, output: 25, cacheWrite: 6.25 },
  "claude-opus-4-8": { input: 5, cached: 0.5, output: 25, cacheWrite: 6.25 },
  "claude-opus-4-7": { input: 5, cached: 0.5, output: 25, cacheWrite: 6.25 },
  "claude-opus-4-6": { input: 5, cached: 0.5, output: 25, cacheWrite: 6.25 },
  "claude-opus-4-5": { input: 5, cached: 0.5, output: 25, cacheWrite: 6.25 },
  "claude-sonnet-5-5": { input: 2, cached: 0.1, output: 10, cacheWrite: 2.5 },
  "claude-sonnet-5": { input: 2, cached: 0.2, output: 10, cacheWrite: 2.5 },
  "claude-sonnet-4-6": { input: 3, cached: 0.3, output: 15, cacheWrite: 3.75 },
  "claude-sonnet-4-5": { input: 3, cached: 0.3, output: 15, cacheWrite: 3.75 },
  "claude-haiku-5-5": { input: 0.1, cached: 0.01, output: 0.5, cacheWrite: 0.125, long: HAIKU_LONG },
  "claude-haiku-4-5": { input: 1, cached: 0.1, output: 5, cacheWrite: 1.25 },
  "text-embedding-3-small": { input: 0.02, cached: 0.02, output: 0 },
  "text-embedding-3-large": { input: 0.13, cached: 0.13, output: 0 },
  "text-embedding-ada-002": { input: 0.1, cached: 0.1, output: 0 },
};

/**
 * What one call cost, in whole millionths of a US dollar. Dated names (`gpt-5.4-2026-03-05`), gateways' names
 * (`anthropic/claude-sonnet-4.5`) and the plain ones mean the same model. A model without a list price costs nothing on
 * this machine or its own network; anywhere else its price is unknown.
 */
export function priceOf(name: string, baseUrl: string, tokens: BilledTokens): number | undefined {
  const price = findPrice(name);
  if (price === undefined) return isLocalAddress(baseUrl) ? 0 : undefined;
  const promptTokens = tokens.inputTokens + tokens.cachedTokens + tokens.cacheWriteTokens;
  const long = price.long !== undefined && promptTokens > price.long.tokens ? price.long : { input: 1, output: 1 };
  const input =
    tokens.inputTokens * price.input +
    tokens.cachedTokens * price.cached +
    tokens.cacheWriteTokens * (price.cacheWrite ?? price.input);
  return Math.round(input * long.input + tokens.outputTokens * price.output * long.output);
}

function findPrice(name: string): Price | undefined {
  const plain = plainName(name);
  const key = plain.startsWith("claude-") ? plain.replaceAll(".", "-") : plain;
  return Object.hasOwn(PRICES, key) ? PRICES[key] : undefined;
}

/** A model's name without its date and without the gateway's mark of who made it. */
export function plainName(name: string): string {
  return (name.toLowerCase().split("/").at(-1) ?? "").replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}
