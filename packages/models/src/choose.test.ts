import { ConfigError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { chooseModels, type ModelChoice } from "./choose.ts";
import type { ModelAccess } from "./model-name.ts";
import { resolveSpec } from "./spec.ts";

const OPENAI = { openaiApiKey: "sk-1" };
const ANTHROPIC = { anthropicApiKey: "sk-ant-1" };
const OLLAMA = { openaiBaseUrl: "http://127.0.0.1:11434/v1" };

const large = (access: ModelAccess, environment: ModelChoice = {}) => chooseModels({ access, environment }).large;

describe("chooseModels", () => {
  it("takes the offline model when nothing is set up", () => {
    expect(chooseModels({})).toEqual({
      small: "offline",
      large: "offline",
      fallback: undefined,
      side: {},
      special: {},
    });
    expect(chooseModels({ access: { openaiApiKey: "", openaiBaseUrl: "" } }).large).toBe("offline");
  });

  it.each([
    ["an OpenAI key", OPENAI, "openai", "gpt-6-luna", "gpt-6.1-terra"],
    ["an Anthropic key", ANTHROPIC, "anthropic", "claude-haiku-5-5", "claude-sonnet-5-5"],
    ["both keys", { ...OPENAI, ...ANTHROPIC }, "openai", "gpt-6-luna", "gpt-6.1-terra"],
    ["a base URL", OLLAMA, "openai-compatible", undefined, undefined],
    ["a base URL and a key", { ...OLLAMA, ...OPENAI }, "openai-compatible", undefined, undefined],
    [
      "OpenAI's own base URL",
      { ...OPENAI, openaiBaseUrl: "https://api.openai.com/v1/" },
      "openai",
      "gpt-6-luna",
      "gpt-6.1-terra",
    ],
  ])("takes what belongs to %s", (...[, access, provider, smallName, largeName]) => {
    const chosen = chooseModels({ access });
    expect(chosen.small).toMatchObject({ provider, ...(smallName && { name: smallName }) });
    expect(chosen.large).toMatchObject({ provider, ...(largeName && { name: largeName }) });
  });

  it.each([
    ["gpt-5.4-mini", OPENAI, "openai", "gpt-5.4-mini"],
    ["o4-mini", OPENAI, "openai", "o4-mini"],
    ["claude-opus-5-5", { ...OPENAI, ...ANTHROPIC }, "anthropic", "claude-opus-5-5"],
    ["llama3.2:3b", OLLAMA, "openai-compatible", "llama3.2:3b"],
    ["gpt-oss:20b", OLLAMA, "openai-compatible", "gpt-oss:20b"],
    ["claude-opus-5-5", OLLAMA, "openai-compatible", "claude-opus-5-5"],
    ["openai:gpt-6-sol", OPENAI, "openai", "gpt-6-sol"],
    ["openai:gpt-6-sol", { ...OPENAI, ...OLLAMA }, "openai-compatible", "gpt-6-sol"],
    ["anthropic:claude-haiku-5-5", { ...ANTHROPIC, ...OLLAMA }, "anthropic", "claude-haiku-5-5"],
    ["ollama:qwen3:8b", {}, "openai-compatible", "qwen3:8b"],
    ["OLLAMA:qwen3:8b", OPENAI, "openai-compatible", "qwen3:8b"],
  ])("reads %s", (text, access, provider, name) => {
    expect(large(access, { large: text })).toMatchObject({ provider, name });
  });

  it("reads a bare name as one of the named provider", () => {
    const chosen = chooseModels({ access: ANTHROPIC, environment: { provider: "anthropic", large: "my-tuned-model" } });
    expect(chosen.large).toMatchObject({ provider: "anthropic", name: "my-tuned-model" });
  });

  it("uses the one model that is named for both sizes", () => {
    const chosen = chooseModels({ access: OPENAI, environment: { large: "gpt-6-sol" } });
    expect(chosen.small).toMatchObject({ name: "gpt-6-sol", setBy: "TROUPE_LARGE_MODEL" });
  });

  it("lets the character decide before the environment", () => {
    const access = { ...OPENAI, ...ANTHROPIC };
    const chosen = chooseModels({ access, character: { provider: "anthropic" }, environment: { large: "gpt-6-sol" } });
    expect(chosen.large).toMatchObject({ provider: "anthropic", name: "claude-sonnet-5-5" });
    expect(chooseModels({ access, character: { provider: "offline" } }).small).toBe("offline");
  });

  it("does not send OpenAI's key to a server it was not set for", () => {
    expect(large(OPENAI, { large: "ollama:qwen3" })).not.toHaveProperty("apiKey");
    expect(large({ ...OPENAI, ...OLLAMA }, { large: "qwen3" })).toHaveProperty("apiKey", "sk-1");
  });

  it("knows where the usual servers listen", () => {
    expect(large({}, { provider: "lmstudio" })).toMatchObject({ baseUrl: "http://127.0.0.1:1234/v1" });
  });

  it("chooses a fallback by the same rules", () => {
    const settings = { access: { ...OPENAI, ...ANTHROPIC }, environment: { fallback: "claude-haiku-5-5" } };
    expect(chooseModels(settings).fallback).toMatchObject({ provider: "anthropic", name: "claude-haiku-5-5" });
    expect(chooseModels({ environment: { fallback: "offline" } }).fallback).toBe("offline");
  });

  it.each([
    [{ provider: "skynet" }, /TROUPE_PROVIDER.*skynet.*known are openai/],
    [{ large: "mystery-model" }, /TROUPE_LARGE_MODEL.*mystery-model.*OPENAI_BASE_URL/],
    [{ small: "skynet:t800" }, /TROUPE_SMALL_MODEL.*skynet:t800/],
  ])("refuses %j and names the remedy", (environment, words) => {
    expect(() => chooseModels({ environment })).toThrow(words);
    expect(() => chooseModels({ environment })).toThrow(ConfigError);
  });
});

describe("resolveSpec", () => {
  it.each([
    [{ provider: "openai", name: "gpt-6-luna" }, /OPENAI_API_KEY/],
    [{ provider: "anthropic", name: "claude-haiku-5-5" }, /ANTHROPIC_API_KEY/],
    [{ provider: "openai-compatible" }, /OPENAI_BASE_URL.*11434/],
    [{ provider: "openai-compatible", baseUrl: "localhost:11434" }, /OPENAI_BASE_URL is not an http/],
  ] as const)("refuses %j and names the variable", (spec, words) => {
    expect(() => resolveSpec(spec)).toThrow(words);
  });

  it.each([
    ["http://127.0.0.1:11434", "http://127.0.0.1:11434/v1"],
    ["http://127.0.0.1:11434/", "http://127.0.0.1:11434/v1"],
    [" https://openrouter.ai/api/v1/ ", "https://openrouter.ai/api/v1"],
  ])("takes %s as %s", (baseUrl, expected) => {
    expect(resolveSpec({ provider: "openai-compatible", baseUrl }).baseUrl).toBe(expected);
  });
});
