import type { Character } from "@troupe/core";
import type { ModelAccess, ModelChoice, ModelSettings } from "@troupe/models";
import type { Config } from "./config.ts";
import { characterModels, environmentModels, environmentParameters } from "./model-kinds.ts";

/**
 * Which models a character gets and with which keys: `--model` before the character before the environment. A character's
 * secrets win over the environment. An address that a character names is never sent a key it did not bring itself.
 */
export function modelSettings(config: Config, character: Character): ModelSettings {
  const access = accessOf(config, character);
  if (config.model !== undefined) {
    const environment = {
      ...environmentParameters(config),
      ...generationOfCharacter(character),
      ...fallbackOf(config),
    };
    const isOffline = config.model.trim().toLowerCase() === "offline";
    const special = isOffline ? {} : environmentModels(config, access);
    return { environment: { ...special, ...environment, large: config.model }, access };
  }
  const { modelProvider, models } = character.settings;
  return {
    character: {
      ...generationOfCharacter(character),
      ...(modelProvider !== undefined && vendorModels(config, modelProvider, access)),
      ...(modelProvider !== undefined && { provider: modelProvider }),
      ...characterModels(models),
    },
    environment: environmentChoice(config, access),
    access,
  };
}

function generationOfCharacter({ settings }: Character): ModelChoice {
  return {
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxTokens !== undefined && { maxTokens: settings.maxTokens }),
  };
}

function fallbackOf({ values }: Config): ModelChoice {
  return values.TROUPE_FALLBACK_MODEL === undefined ? {} : { fallback: values.TROUPE_FALLBACK_MODEL };
}

function environmentChoice(config: Config, access: ModelAccess): ModelChoice {
  const { TROUPE_PROVIDER: provider, TROUPE_SMALL_MODEL: small, TROUPE_LARGE_MODEL: large } = config.values;
  const isNamed = small !== undefined || large !== undefined;
  const usual =
    access.openaiBaseUrl || access.openaiApiKey ? "openai" : access.anthropicApiKey ? "anthropic" : "offline";
  return {
    ...(!isNamed && vendorModels(config, provider ?? usual, access)),
    ...(provider !== undefined && { provider }),
    ...(small !== undefined && { small }),
    ...(large !== undefined && { large }),
    ...environmentModels(config, access),
    ...environmentParameters(config),
    ...fallbackOf(config),
  };
}

/** The models the environment names for one vendor: `OPENAI_MODEL` for OpenAI and all that speak like it. */
function vendorModels({ values }: Config, provider: string, access: ModelAccess): ModelChoice {
  const vendor = provider.trim().toLowerCase();
  if (vendor === "offline") return {};
  const isAnthropic = vendor === "anthropic" || vendor === "claude";
  const large = isAnthropic ? values.ANTHROPIC_MODEL : values.OPENAI_MODEL;
  const small = isAnthropic ? values.ANTHROPIC_SMALL_MODEL : values.OPENAI_SMALL_MODEL;
  // A bare name is understood by whoever the provider is; without one the name alone would have to tell.
  const prefix = isAnthropic ? "anthropic" : access.openaiBaseUrl ? "openai-compatible" : vendor.replaceAll("_", "-");
  return {
    ...(large !== undefined && { large: `${prefix}:${large}` }),
    ...(small !== undefined && { small: `${prefix}:${small}` }),
  };
}

function accessOf({ values }: Config, { secrets }: Character): ModelAccess {
  const own = (name: string): string | undefined => secrets[name]?.trim() || undefined;
  const pair = (url: UrlName, key: KeyName): { readonly url: string | undefined; readonly key: string | undefined } =>
    own(url) ? { url: own(url), key: own(key) } : { url: values[url], key: own(key) ?? values[key] };
  const openai = pair("OPENAI_BASE_URL", "OPENAI_API_KEY");
  const anthropic = pair("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY");
  const embedding = pair("OPENAI_EMBEDDING_URL", "OPENAI_EMBEDDING_API_KEY");
  return {
    ...(openai.key !== undefined && { openaiApiKey: openai.key }),
    ...(openai.url !== undefined && { openaiBaseUrl: openai.url }),
    ...(anthropic.key !== undefined && { anthropicApiKey: anthropic.key }),
    ...(anthropic.url !== undefined && { anthropicBaseUrl: anthropic.url }),
    ...(embedding.key !== undefined && { embeddingApiKey: embedding.key }),
    ...(embedding.url !== undefined && { embeddingBaseUrl: embedding.url }),
  };
}

type UrlName = "OPENAI_BASE_URL" | "ANTHROPIC_BASE_URL" | "OPENAI_EMBEDDING_URL";
type KeyName = "OPENAI_API_KEY" | "ANTHROPIC_API_KEY" | "OPENAI_EMBEDDING_API_KEY";
