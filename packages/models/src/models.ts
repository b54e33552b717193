import type { LanguageModel, Models } from "@troupe/core";
import { chooseModels, type ModelSettings, type Target } from "./choose.ts";
import { createFallbackModel } from "./fallback-model.ts";
import { createLanguageModel, type LanguageModelOptions } from "./language-model.ts";
import { checkModel, type ModelCheck } from "./list-models.ts";
import type { GenerationDefaults } from "./prompt.ts";
import { type ModelSpec, modelId, PROVIDERS } from "./spec.ts";

/** What `createModels` needs beside the settings. */
export type CreateModelsOptions = Omit<LanguageModelOptions, "defaults"> & {
  /** Makes the model that answers without any vendor; called only when it is needed. */
  readonly offline: () => LanguageModel;
};

/** Which models an agent has, for a banner and for `doctor`. */
export type ModelsDescription = {
  /** `provider:name`; `openai-compatible:auto` while the server's own choice is not known. */
  readonly small: string;
  readonly large: string;
  readonly fallback?: string;
  /** Addresses that are not a vendor's own. */
  readonly baseUrls: readonly string[];
  /** True when both models are the offline one. */
  readonly isOffline: boolean;
  /** One line for people without a model: how to get one. */
  readonly hint?: string;
};

/** The models of one agent. */
export type CreatedModels = {
  readonly models: Models;
  describe(): ModelsDescription;
  /** Asks each provider once whether its model can be used; generates nothing. Offline models are always fine and left out. */
  check(signal: AbortSignal): Promise<readonly ModelCheck[]>;
};

const HINT =
  "No model is set up, so the offline one answers. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, or OPENAI_BASE_URL (Ollama: http://127.0.0.1:11434/v1) for a real one.";

/**
 * Builds the models of one agent from its settings. Nothing is loaded or asked before the first call.
 * @throws ConfigError when a provider is unknown, or a key or an address is missing; it names the variable and the remedy.
 */
export function createModels(settings: ModelSettings, options: CreateModelsOptions): CreatedModels {
  const { small, large, fallback } = chooseModels(settings);
  const { offline, ...modelOptions } = options;
  const defaults = defaultsOf(settings);
  const made = new Map<string, LanguageModel>();
  const make = (target: Target): LanguageModel => {
    const key = keyOf(target);
    const model =
      made.get(key) ?? (target === "offline" ? offline() : createLanguageModel(target, { ...modelOptions, defaults }));
    made.set(key, model);
    return model;
  };
  const secured = (target: Target): LanguageModel => {
    const model = make(target);
    if (fallback === undefined || keyOf(fallback) === keyOf(target)) return model;
    return createFallbackModel([model, make(fallback)], options.log === undefined ? {} : { log: options.log });
  };
  const models: Models = { TEXT_SMALL: secured(small), TEXT_LARGE: secured(large) };
  const targets = fallback === undefined ? [small, large] : [small, large, fallback];
  return {
    models,
    describe: () => ({
      small: models.TEXT_SMALL.id,
      large: models.TEXT_LARGE.id,
      ...(fallback === undefined ? {} : { fallback: fallback === "offline" ? make(fallback).id : modelId(fallback) }),
      baseUrls: foreignAddresses(targets),
      isOffline: small === "offline" && large === "offline",
      ...(small === "offline" && large === "offline" ? { hint: HINT } : {}),
    }),
    check: (signal) => Promise.all(distinctSpecs(targets).map((spec) => checkModel(spec, signal))),
  };
}

function defaultsOf({ character, environment }: ModelSettings): GenerationDefaults {
  const temperature = character?.temperature ?? environment?.temperature;
  const maxTokens = character?.maxTokens ?? environment?.maxTokens;
  const reasoning = character?.reasoning ?? environment?.reasoning;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function keyOf(target: Target): string {
  return target === "offline" ? target : `${modelId(target)} ${target.baseUrl ?? ""}`;
}

function distinctSpecs(targets: readonly Target[]): readonly ModelSpec[] {
  const specs = targets.filter((target) => target !== "offline");
  return [...new Map(specs.map((spec) => [keyOf(spec), spec])).values()];
}

function foreignAddresses(targets: readonly Target[]): readonly string[] {
  const addresses = distinctSpecs(targets).flatMap(({ baseUrl, provider }) =>
    baseUrl === undefined || baseUrl === PROVIDERS[provider].baseUrl ? [] : [baseUrl],
  );
  return [...new Set(addresses)];
}
