import { ConfigError } from "@troupe/core/errors";

/** Whose model it is. `openai-compatible` is any server that speaks chat completions: Ollama, LM Studio, vLLM, a gateway. */
export type ProviderName = "openai" | "anthropic" | "openai-compatible";

/** One model and the way to it. Everything that is needed to ask it; nothing is read from the environment. */
export type ModelSpec = {
  readonly provider: ProviderName;
  /** The vendor's name of the model, e.g. `gpt-6-luna`. Absent (only with `openai-compatible`): the first one the server offers. */
  readonly name?: string;
  /** Required by `openai-compatible`; ends in `/v1` as a rule. Absent: the vendor's own. */
  readonly baseUrl?: string;
  /** Required by `openai` and `anthropic`. */
  readonly apiKey?: string;
  /** Where the name was set, for messages: `TROUPE_LARGE_MODEL`, `settings.model.large of the character`. */
  readonly setBy?: string;
};

/** What is known about a provider before anybody asked it. */
export type ProviderFacts = {
  /** How people write it. */
  readonly title: string;
  readonly baseUrl: string | undefined;
  /** The environment variable that holds its key. */
  readonly keyVariable: string;
  /** The environment variable that holds its base URL. */
  readonly baseUrlVariable: string;
  /** Models taken when nobody named one: quick and cheap, and good at conversation. */
  readonly defaults: { readonly small: string; readonly large: string } | undefined;
};

/**
 * The providers, their addresses and the models taken when none is named, as of 2026-11-20.
 * @see https://developers.openai.com/api/docs/models
 * @see https://platform.claude.com/docs/en/about-claude/models/overview
 */
export const PROVIDERS: Readonly<Record<ProviderName, ProviderFacts>> = {
  openai: {
    title: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    defaults: { small: "gpt-6-luna", large: "gpt-6.1-terra" },
  },
  anthropic: {
    title: "Anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariable: "ANTHROPIC_API_KEY",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    defaults: { small: "claude-haiku-5-5", large: "claude-sonnet-5-5" },
  },
  "openai-compatible": {
    title: "The model server",
    baseUrl: undefined,
    keyVariable: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    defaults: undefined,
  },
};

/** A spec whose gaps are closed and whose address is in order; made by `resolveSpec`. */
export type ResolvedSpec = ModelSpec & { readonly baseUrl: string; readonly facts: ProviderFacts };

/**
 * Checks a spec and completes it.
 * @throws ConfigError naming what is missing and the variable that sets it.
 */
export function resolveSpec(spec: ModelSpec): ResolvedSpec {
  const facts = PROVIDERS[spec.provider];
  const baseUrl = spec.baseUrl ?? facts.baseUrl;
  if (baseUrl === undefined) {
    throw new ConfigError(
      "invalid",
      `An OpenAI-compatible model server needs its address; set ${facts.baseUrlVariable}, e.g. http://127.0.0.1:11434/v1 for Ollama`,
    );
  }
  if (spec.provider !== "openai-compatible") {
    if (!spec.apiKey) {
      throw new ConfigError("unauthorized", `${facts.title} needs a key; set ${facts.keyVariable}`);
    }
    if (!spec.name) throw new ConfigError("invalid", `No model of ${facts.title} is named; set TROUPE_LARGE_MODEL`);
  }
  return { ...spec, baseUrl: normaliseBaseUrl(baseUrl, facts.baseUrlVariable), facts };
}

/**
 * A base URL as the clients want it: no slash at the end; a bare host gets the `/v1` every server of this kind has.
 * @throws ConfigError when it is not an http(s) URL. `variable` is named in the message.
 */
export function normaliseBaseUrl(text: string, variable: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(
      "invalid",
      `${variable} is not an http or https URL; write it like http://127.0.0.1:11434/v1`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? "/v1" : path}`;
}

/** True when the address is this machine or its own network, where asking costs nothing. */
export function isLocalAddress(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || host === "::1" || host === "host.docker.internal") return true;
  if (/\.(local|localhost|internal|lan)$/.test(host)) return true;
  return /^(127|10)\.\d|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^0\.0\.0\.0$/.test(host);
}

/** `provider:name`, as it stands in journals. A model that the server chooses is called `auto` until it answered. */
export function modelId(spec: ModelSpec): string {
  return `${spec.provider}:${spec.name ?? "auto"}`;
}
