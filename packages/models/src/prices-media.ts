import { plainName } from "./prices.ts";
import { isLocalAddress } from "./spec.ts";

/** What a call about sound or pictures used, as far as it is known. `audioTokens` are part of `inputTokens`. */
export type MediaUse = {
  readonly inputTokens?: number;
  readonly audioTokens?: number;
  readonly outputTokens?: number;
  readonly durationMs?: number;
  readonly characters?: number;
};

/** US dollars: per million tokens, per minute of sound, or per million characters. */
type MediaPrice =
  | { readonly by: "tokens"; readonly text: number; readonly audio: number; readonly output: number }
  | { readonly by: "minute"; readonly minute: number }
  | { readonly by: "characters"; readonly million: number };

/**
 * List prices as of 2026-11-20; what is not here has no known price.
 * @see https://developers.openai.com/api/docs/pricing
 */
const PRICES: Readonly<Record<string, MediaPrice>> = {
  "gpt-4o-transcribe": { by: "tokens", text: 2.5, audio: 6, output: 10 },
  "gpt-4o-mini-transcribe": { by: "tokens", text: 1.25, audio: 3, output: 5 },
  "whisper-1": { by: "minute", minute: 0.006 },
  "tts-1": { by: "characters", million: 15 },
  "tts-1-hd": { by: "characters", million: 30 },
};

/**
 * What one call cost, in whole millionths of a US dollar. Undefined when the model's price is unknown, or the vendor did not
 * say what it counts; a model without a list price costs nothing on this machine or its own network.
 */
export function priceOfMedia(name: string, baseUrl: string, use: MediaUse): number | undefined {
  const key = plainName(name);
  const price = Object.hasOwn(PRICES, key) ? PRICES[key] : undefined;
  if (price === undefined) return isLocalAddress(baseUrl) ? 0 : undefined;
  switch (price.by) {
    case "tokens": {
      const { inputTokens, audioTokens = inputTokens, outputTokens } = use;
      if (inputTokens === undefined || audioTokens === undefined || outputTokens === undefined) return undefined;
      return Math.round(
        audioTokens * price.audio + (inputTokens - audioTokens) * price.text + outputTokens * price.output,
      );
    }
    case "minute":
      return use.durationMs === undefined
        ? undefined
        : Math.round((use.durationMs / 60_000) * price.minute * 1_000_000);
    case "characters":
      return use.characters === undefined ? undefined : Math.round(use.characters * price.million);
  }
}
