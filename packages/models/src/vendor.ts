import type { OpenAIProvider } from "@ai-sdk/openai";
import type { ResolvedSpec } from "./spec.ts";

/** A provider's model object of the AI SDK. */
export type VendorModel = ReturnType<OpenAIProvider["languageModel"]>;

/** What the AI SDK's models are asked. */
export type VendorRequest = Parameters<VendorModel["doStream"]>[0];

/** What the AI SDK's models stream. */
export type VendorPart =
  Awaited<ReturnType<VendorModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * The vendor's model object. Its library is loaded here, at the first call and not before: an offline start pays neither
 * time nor memory for it. Addresses and keys are always passed, so that the libraries never look into the environment.
 */
export async function openVendorModel(spec: ResolvedSpec, name: string): Promise<VendorModel> {
  const baseURL = spec.baseUrl;
  switch (spec.provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL, apiKey: spec.apiKey ?? "" }).responses(name);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, apiKey: spec.apiKey ?? "" })(name);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = spec.apiKey ? { apiKey: spec.apiKey } : {};
      const compatible = { name: "compatible", baseURL, includeUsage: true, supportsStructuredOutputs: true, ...key };
      return createOpenAICompatible(compatible).chatModel(name);
    }
  }
}

/** A provider's embedding model of the AI SDK. */
export type VendorEmbedding = ReturnType<OpenAIProvider["embeddingModel"]>;

/** What speaks OpenAI's wires for sound and pictures; every server that has them at all speaks these. */
export type VendorMedia = Pick<OpenAIProvider, "transcription" | "speech" | "image">;

/** The vendor's embedding model, loaded as above. */
export async function openVendorEmbedding(spec: ResolvedSpec, name: string): Promise<VendorEmbedding> {
  const baseURL = spec.baseUrl;
  if (spec.provider === "openai-compatible") {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const key = spec.apiKey ? { apiKey: spec.apiKey } : {};
    return createOpenAICompatible({ name: "compatible", baseURL, ...key }).embeddingModel(name);
  }
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI({ baseURL, apiKey: spec.apiKey ?? "" }).embeddingModel(name);
}

/** The vendor's models for sound and pictures, loaded as above. */
export async function openVendorMedia(spec: ResolvedSpec): Promise<VendorMedia> {
  const { createOpenAI } = await import("@ai-sdk/openai");
  // A server that wants no key ignores this one; the library insists on some.
  return createOpenAI({ baseURL: spec.baseUrl, apiKey: spec.apiKey || "none" });
}
