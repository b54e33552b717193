import type { Character } from "@troupe/core";
import type { ModelAccess, ModelChoice, ModelSettings } from "@troupe/models";
import type { Config } from "./config.ts";

/**
 * Which models a character gets and with which keys: `--model` before the character before the environment. A character's
 * secrets win over the environment. An address that a character names is never sent a key it did not bring itself.
 */
export function modelSettings(config: Config, character: Character): ModelSettings {
  const access = accessOf(config, character);
  if (config.model !== undefined) {
    const environment = { ...generationOf(config), ...generationOfCharacter(character), ...fallbackOf(config) };
    return { environment: { large: config.model, ...environment }, access };
  }
  const { modelProvider, models } = character.settings;
  return {
    character: {
      ...generationOfCharacter(character),
      ...(modelProvider !== undefined && vendorModels(config, modelProvider, access)),
      ...(modelProvider !== undefined && { provider: modelProvider }),
      ...(models.small !== undefined && { small: models.small }),
      ...(models.large !== undefined && { large: models.large }),
      ...(models.fallback !== undefined && { fallback: models.fallback }),
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

function generationOf({ values }: Config): ModelChoice {
  const { TROUPE_TEMPERATURE: temperature, TROUPE_MAX_TOKENS: maxTokens, TROUPE_REASONING: reasoning } = values;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(reasoning !== undefined && { reasoning }),
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
    ...generationOf(config),
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
  const openai = own("OPENAI_BASE_URL")
    ? { url: own("OPENAI_BASE_URL"), key: own("OPENAI_API_KEY") }
    : { url: values.OPENAI_BASE_URL, key: own("OPENAI_API_KEY") ?? values.OPENAI_API_KEY };
  const anthropic = own("ANTHROPIC_BASE_URL")
    ? { url: own("ANTHROPIC_BASE_URL"), key: own("ANTHROPIC_API_KEY") }
    : { url: values.ANTHROPIC_BASE_URL, key: own("ANTHROPIC_API_KEY") ?? values.ANTHROPIC_API_KEY };
  return {
    ...(openai.key !== undefined && { openaiApiKey: openai.key }),
    ...(openai.url !== undefined && { openaiBaseUrl: openai.url }),
    ...(anthropic.key !== undefined && { anthropicApiKey: anthropic.key }),
    ...(anthropic.url !== undefined && { anthropicBaseUrl: anthropic.url }),
  };
}
