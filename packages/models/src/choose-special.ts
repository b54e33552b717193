import { ConfigError } from "@troupe/core/errors";
import { type ModelAccess, parseName, type Target } from "./model-name.ts";
import { type ModelSpec, normaliseBaseUrl, PROVIDERS } from "./spec.ts";

/** What models do beside language, by the name of the setting. */
export type SpecialKind = "embedding" | "imageDescription" | "transcription" | "speech" | "image";

/** A special model as somebody named it, and where. */
type Named = { readonly name: string | undefined; readonly setBy: string };

const kinds: readonly SpecialKind[] = ["embedding", "imageDescription", "transcription", "speech", "image"];

/** OpenAI's models for the work, taken where its language models answer; as of 2026-11-20. */
const OPENAI_DEFAULTS: Readonly<Record<Exclude<SpecialKind, "imageDescription">, string>> = {
  embedding: "text-embedding-3-small",
  transcription: "gpt-4o-mini-transcribe",
  speech: "gpt-4o-mini-tts",
  image: "gpt-image-2",
};

/**
 * The special models: the named ones, and those of the vendor whose large model answers. Nothing goes to a vendor that
 * nobody chose, and a server of one's own has only what is named.
 * @throws ConfigError naming the setting and the remedy.
 */
export function chooseSpecial(
  access: ModelAccess,
  large: Target,
  named: (kind: SpecialKind) => Named,
): { readonly [Kind in SpecialKind]?: ModelSpec } {
  const chosen: { [Kind in SpecialKind]?: ModelSpec } = {};
  for (const kind of kinds) {
    const spec = chooseOne(kind, { access, large, ...named(kind) });
    if (spec !== undefined) chosen[kind] = spec;
  }
  return chosen;
}

type Choice = Named & { readonly access: ModelAccess; readonly large: Target };

function chooseOne(kind: SpecialKind, { access, large, name, setBy }: Choice): ModelSpec | undefined {
  const text = name?.trim();
  if (/^(none|off|offline)$/i.test(text ?? "")) return undefined;
  if (kind === "embedding" && access.embeddingBaseUrl) return atOwnServer(access, text, setBy);
  if (!text) return standard(kind, large);
  const vendor = large === "offline" ? undefined : { provider: large.provider };
  const bare = /^(text-embedding-|whisper-|tts-|dall-e|gpt-)/i.test(text) ? { provider: "openai" as const } : vendor;
  const target = parseName(text, { access, setBy, ...(bare !== undefined && { provider: bare }) });
  if (target === "offline") return undefined;
  if (target.name !== undefined) return target;
  throw new ConfigError("invalid", `${setBy} names a provider but no model; write provider:name`);
}

/** Embeddings may live on a server of their own; OpenAI's key goes there only when it is OpenAI's. */
function atOwnServer(access: ModelAccess, name: string | undefined, setBy: string): ModelSpec {
  const variable = "OPENAI_EMBEDDING_URL";
  const baseUrl = normaliseBaseUrl(access.embeddingBaseUrl ?? "", variable);
  const isVendor = new URL(baseUrl).hostname === "api.openai.com";
  const plain = name?.replace(/^(openai|openai-compatible|ollama|lmstudio|vllm):/i, "");
  if (!plain && !isVendor) {
    throw new ConfigError("invalid", `${variable} is set but no model for it; set ${setBy} to its name`);
  }
  const apiKey = access.embeddingApiKey || (isVendor ? access.openaiApiKey : undefined);
  return {
    provider: isVendor ? "openai" : "openai-compatible",
    name: plain || OPENAI_DEFAULTS.embedding,
    baseUrl,
    setBy,
    ...(apiKey ? { apiKey } : {}),
  };
}

function standard(kind: SpecialKind, large: Target): ModelSpec | undefined {
  if (large === "offline" || large.provider === "openai-compatible") return undefined;
  const { setBy: _other, ...access } = large;
  if (kind === "imageDescription") {
    const name = PROVIDERS[large.provider].defaults?.small;
    return name === undefined ? undefined : { ...access, name };
  }
  return large.provider === "openai" ? { ...access, name: OPENAI_DEFAULTS[kind] } : undefined;
}
