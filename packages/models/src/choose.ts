import { ConfigError } from "@troupe/core/errors";
import type { ReasoningEffort } from "./prompt.ts";
import { type ModelSpec, normaliseBaseUrl, PROVIDERS, type ProviderName } from "./spec.ts";

/** What a character or the environment says about models. Every field may be absent. */
export type ModelChoice = {
  /** `openai`, `anthropic`, `openai-compatible`, `ollama`, `lmstudio`, `vllm` or `offline`. */
  readonly provider?: string;
  /** `provider:name`, or a bare name whose provider is inferred. */
  readonly small?: string;
  readonly large?: string;
  /** Asked when the first choice fails before it said anything; `offline` is allowed. */
  readonly fallback?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** How long a reasoning model may think; low answers sooner and costs less. */
  readonly reasoning?: ReasoningEffort;
};

/** Keys and addresses. Empty strings count as absent. */
export type ModelAccess = {
  readonly openaiApiKey?: string;
  readonly openaiBaseUrl?: string;
  readonly anthropicApiKey?: string;
  readonly anthropicBaseUrl?: string;
};

/** Everything that decides which models an agent has. A character that names a provider or a model decides for both sizes. */
export type ModelSettings = {
  readonly character?: ModelChoice;
  readonly environment?: ModelChoice;
  readonly access?: ModelAccess;
};

/** The environment variables that messages name, by what they set. The program that reads the environment uses the same. */
export const MODEL_VARIABLES = {
  provider: "TROUPE_PROVIDER",
  small: "TROUPE_SMALL_MODEL",
  large: "TROUPE_LARGE_MODEL",
  fallback: "TROUPE_FALLBACK_MODEL",
  temperature: "TROUPE_TEMPERATURE",
  maxTokens: "TROUPE_MAX_TOKENS",
  reasoning: "TROUPE_REASONING",
  openaiApiKey: "OPENAI_API_KEY",
  openaiBaseUrl: "OPENAI_BASE_URL",
  anthropicApiKey: "ANTHROPIC_API_KEY",
  anthropicBaseUrl: "ANTHROPIC_BASE_URL",
} as const;

/** A model, or the offline one. */
export type Target = ModelSpec | "offline";

/** Which models an agent gets. */
export type ChosenModels = { readonly small: Target; readonly large: Target; readonly fallback: Target | undefined };

/**
 * Decides which models to use; asks nobody.
 * @throws ConfigError naming the setting, what is wrong with it and the remedy.
 */
export function chooseModels(settings: ModelSettings): ChosenModels {
  const access = settings.access ?? {};
  const isByCharacter = Boolean(settings.character?.provider || settings.character?.small || settings.character?.large);
  const origin: Origin = isByCharacter ? "character" : "environment";
  const choice = settings[origin] ?? {};
  const fallbackOrigin: Origin = settings.character?.fallback ? "character" : "environment";
  const fallback = settings[fallbackOrigin]?.fallback;
  return {
    small: chooseOne("small", choice, origin, access),
    large: chooseOne("large", choice, origin, access),
    fallback: fallback ? parseName(fallback, { access, setBy: nameOf("fallback", fallbackOrigin) }) : undefined,
  };
}

type Origin = "character" | "environment";
type Size = "small" | "large";

function nameOf(field: keyof typeof MODEL_VARIABLES, origin: Origin): string {
  return origin === "environment" ? MODEL_VARIABLES[field] : `the character's model setting "${field}"`;
}

function chooseOne(size: Size, choice: ModelChoice, origin: Origin, access: ModelAccess): Target {
  const providerSetBy = nameOf("provider", origin);
  const named: Size | undefined = choice[size] ? size : choice.small ? "small" : choice.large ? "large" : undefined;
  const provider = choice.provider ? parseProvider(choice.provider, providerSetBy) : undefined;
  if (named !== undefined) {
    const hint = provider === undefined ? {} : { provider };
    return parseName(choice[named] ?? "", { access, setBy: nameOf(named, origin), ...hint });
  }
  const known = provider ?? defaultProvider(access);
  if (known === "offline") return "offline";
  const spec = toSpec(known, undefined, access, providerSetBy);
  const name = PROVIDERS[spec.provider].defaults?.[size];
  return name === undefined ? spec : { ...spec, name };
}

/** What people call a server, and where it listens unless they say otherwise. */
type Source = { readonly provider: ProviderName; readonly baseUrl?: string };

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

function parseProvider(text: string, setBy: string): Source | "offline" {
  const source = findSource(text);
  if (source !== undefined) return source;
  const known = [...Object.keys(SOURCES), "offline"].join(", ");
  throw new ConfigError("invalid", `${setBy} names an unknown model provider "${text}"; known are ${known}`);
}

function defaultProvider(access: ModelAccess): Source | "offline" {
  if (access.openaiBaseUrl) return { provider: "openai-compatible" };
  if (access.openaiApiKey) return { provider: "openai" };
  return access.anthropicApiKey ? { provider: "anthropic" } : "offline";
}

type NameContext = { readonly access: ModelAccess; readonly setBy: string; readonly provider?: Source | "offline" };

/** Reads `provider:name` or a bare name; model names may hold colons themselves (`llama3.2:3b`). */
function parseName(text: string, { access, setBy, provider }: NameContext): Target {
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
function toSpec(
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
  const given = access.openaiBaseUrl
    ? normaliseBaseUrl(access.openaiBaseUrl, MODEL_VARIABLES.openaiBaseUrl)
    : undefined;
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
