import { ConfigError } from "@troupe/core/errors";
import { type ModelSpec, normaliseBaseUrl, type ProviderName } from "./spec.ts";

/** Keys and addresses. Empty strings count as absent. */
export type ModelAccess = {
  readonly openaiApiKey?: string;
  readonly openaiBaseUrl?: string;
  readonly anthropicApiKey?: string;
  readonly anthropicBaseUrl?: string;
  /** A server for embeddings alone, with a key of its own. */
  readonly embeddingBaseUrl?: string;
  readonly embeddingApiKey?: string;
};

/** A model, or the offline one. */
export type Target = ModelSpec | "offline";

/** What people call a server, and where it listens unless they say otherwise. */
export type Source = { readonly provider: ProviderName; readonly baseUrl?: string };

const SOURCES: Readonly<Record<string, Source>> = {
  openai: { provider: "openai" },
  anthropic: { provider: "anthropic" },
  claude: { provider: "anthropic" },
  "openai-compatible": { provider: "openai-compatible" },
  ollama: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:1234/v1" },
  vllm: { provider: "openai-compatible", baseUrl: "http://127.0.0.1:8000/v1" },
};

function findSource(text: string): Source | "offline" | undefined {
  const key = text.trim().toLowerCase().replaceAll("_", "-");
  if (key === "offline") return "offline";
  return Object.hasOwn(SOURCES, key) ? SOURCES[key] : undefined;
}

/** @throws ConfigError naming `setBy` and the providers there are. */
export function parseProvider(text: string, setBy: string): Source | "offline" {
  const source = findSource(text);
  if (source !== undefined) return source;
  const known = [...Object.keys(SOURCES), "offline"].join(", ");
  throw new ConfigError("invalid", `${setBy} names an unknown model provider "${text}"; known are ${known}`);
}

/** Whose models are taken when nobody says: whoever there is a key or an address for. */
export function defaultProvider(access: ModelAccess): Source | "offline" {
  if (access.openaiBaseUrl) return { provider: "openai-compatible" };
  if (access.openaiApiKey) return { provider: "openai" };
  return access.anthropicApiKey ? { provider: "anthropic" } : "offline";
}

/** What a name is read with. */
export type NameContext = {
  readonly access: ModelAccess;
  readonly setBy: string;
  readonly provider?: Source | "offline";
};

/**
 * Reads `provider:name` or a bare name; model names may hold colons themselves (`llama3.2:3b`).
 * @throws ConfigError when the provider of a bare name is not known.
 */
export function parseName(text: string, { access, setBy, provider }: NameContext): Target {
  const name = text.trim();
  const colon = name.indexOf(":");
  const prefix = findSource(colon < 0 ? name : name.slice(0, colon));
  if (prefix === "offline") return "offline";
  if (prefix !== undefined) return toSpec(prefix, colon < 0 ? undefined : name.slice(colon + 1), access, setBy);
  const source = provider ?? inferProvider(name, access);
  if (source === "offline") return "offline";
  if (source !== undefined) return toSpec(source, name, access, setBy);
  throw new ConfigError(
    "invalid",
    `${setBy} names the model "${name}", whose provider is not known; write provider:name (openai:, anthropic:, ollama:), or set OPENAI_BASE_URL to the server that has it`,
  );
}

function inferProvider(name: string, access: ModelAccess): Source | undefined {
  const isClaude = /^claude-/i.test(name);
  if (isClaude && (access.anthropicApiKey || !access.openaiBaseUrl)) return { provider: "anthropic" };
  if (access.openaiBaseUrl) return { provider: "openai-compatible" };
  return /^(gpt-|chatgpt-|o\d)/i.test(name) ? { provider: "openai" } : undefined;
}

/** OpenAI's own address is OpenAI; any other one speaks chat completions, whoever it belongs to. */
export function toSpec(
  { provider, baseUrl }: Source,
  name: string | undefined,
  access: ModelAccess,
  setBy: string,
): ModelSpec {
  const named = name ? { name, setBy } : { setBy };
  if (provider === "anthropic") {
    return {
      provider,
      ...named,
      ...(access.anthropicApiKey ? { apiKey: access.anthropicApiKey } : {}),
      ...(access.anthropicBaseUrl ? { baseUrl: access.anthropicBaseUrl } : {}),
    };
  }
  const given = access.openaiBaseUrl ? normaliseBaseUrl(access.openaiBaseUrl, "OPENAI_BASE_URL") : undefined;
  const isVendor = given === undefined ? provider === "openai" : new URL(given).hostname === "api.openai.com";
  const address = given ?? baseUrl;
  // A key goes only where it was meant to go: to OpenAI, or to the address that was set beside it.
  const isMeant = isVendor || given !== undefined;
  return {
    provider: isVendor ? "openai" : "openai-compatible",
    ...named,
    ...(isMeant && access.openaiApiKey ? { apiKey: access.openaiApiKey } : {}),
    ...(address === undefined ? {} : { baseUrl: address }),
  };
}
