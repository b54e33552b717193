import { expect, it } from "vitest";
import { priceOf } from "./prices.ts";
import { priceOfMedia } from "./prices-media.ts";

const tokens = { inputTokens: 1_000, cachedTokens: 2_000, cacheWriteTokens: 400, outputTokens: 500 };
const VENDOR = "https://api.openai.com/v1";

it("counts fresh, cached, kept and written tokens at their own price", () => {
  expect(priceOf("gpt-6.1-terra", VENDOR, tokens)).toBe(1_000 * 1 + 2_000 * 0.05 + 400 * 1.25 + 500 * 5);
});

it.each([
  ["gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"],
  ["openai/gpt-6-luna", "gpt-6-luna"],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
  ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
])("knows that %s is %s", (name, plain) => {
  expect(priceOf(name, VENDOR, tokens)).toBe(priceOf(plain, VENDOR, tokens));
  expect(priceOf(plain, VENDOR, tokens)).toBeGreaterThan(0);
});

it("bills the whole of a long prompt by the long price", () => {
  const long = { inputTokens: 100_001, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 1_000 };
  expect(priceOf("claude-haiku-5-5", VENDOR, long)).toBe(Math.round(100_001 * 0.5 + 1_000 * 2.5));
});

it("does not guess the price of a model it does not know", () => {
  expect(priceOf("gpt-6.1-terra-pro", VENDOR, tokens)).toBeUndefined();
  expect(priceOf("constructor", VENDOR, tokens)).toBeUndefined();
  expect(priceOf("llama3.2", "https://models.example.com/v1", tokens)).toBeUndefined();
});

it.each(["http://127.0.0.1:11434/v1", "http://[::1]:1234/v1", "http://192.168.1.20:8000/v1", "http://ollama.local/v1"])(
  "takes a model at %s for free",
  (baseUrl) => {
    expect(priceOf("llama3.2:3b", baseUrl, tokens)).toBe(0);
  },
);

it("knows the prices of embeddings", () => {
  const read = { inputTokens: 1_000_000, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  expect(priceOf("text-embedding-3-large", VENDOR, read)).toBe(130_000);
});

it("costs sound by what its vendor counts, and nothing where nobody counted", () => {
  expect(priceOfMedia("whisper-1", VENDOR, { durationMs: 60_000 })).toBe(6_000);
  expect(priceOfMedia("tts-1-hd", VENDOR, { characters: 1_000 })).toBe(30_000);
  expect(priceOfMedia("gpt-4o-transcribe", VENDOR, { inputTokens: 100, outputTokens: 10 })).toBe(700);
  expect(priceOfMedia("gpt-4o-transcribe", VENDOR, {})).toBeUndefined();
  expect(priceOfMedia("whisper-1", VENDOR, {})).toBeUndefined();
  expect(priceOfMedia("gpt-image-2", VENDOR, { inputTokens: 10, outputTokens: 10 })).toBeUndefined();
  expect(priceOfMedia("my-whisper", "http://127.0.0.1:8000/v1", {})).toBe(0);
});
