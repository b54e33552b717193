import type { LanguageModel, Models } from "@troupe/core";
import { createFallback } from "@troupe/core/model";
import { type ChosenModels, chooseModels, type ModelParameters, type ModelSettings, type SideKind } from "./choose.ts";
import type { SpecialKind } from "./choose-special.ts";
import { createEmbeddingModel } from "./embedding-model.ts";
import { createImageDescriptionModel } from "./image-description.ts";
import { createLanguageModel, type LanguageModelOptions } from "./language-model.ts";
import { checkModel, type ModelCheck } from "./list-models.ts";
import { createImageModel, createSpeechModel, createTranscriptionModel } from "./media-models.ts";
import type { Target } from "./model-name.ts";
import { type ModelSpec, modelId, PROVIDERS } from "./spec.ts";
import { createTokenizer } from "./tokenizer.ts";

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
  /** The models that stand beside these two, by what they are for; what is not here falls back to them, or is not there. */
  readonly others: { readonly [Kind in SideKind | SpecialKind]?: string };
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
  const chosen = chooseModels(settings);
  const { small, large, fallback, side, special } = chosen;
  const language = createLanguageModels(chosen, settings, options);
  const models: Models = {
    TEXT_SMALL: language.make("small", small),
    TEXT_LARGE: language.make("large", large),
    ...language.sides(),
    ...createSpecial(chosen, settings, options),
  };
  const targets = [small, large, fallback, ...Object.values(side), ...Object.values(special)].filter(
    (target) => target !== undefined,
  );
  // A special model that nobody named is missed when it is used, not before.
  const wanted = targets.filter((target) => target !== "offline" && !isUnnamed(target, special));
  const isOffline = small === "offline" && large === "offline";
  return {
    models,
    describe: () => ({
      small: models.TEXT_SMALL.id,
      large: models.TEXT_LARGE.id,
      ...(fallback === undefined ? {} : { fallback: idOf(fallback, options) }),
      others: Object.fromEntries(
        Object.entries({ ...side, ...special }).map(([kind, target]) => [kind, idOf(target, options)]),
      ),
      baseUrls: foreignAddresses(targets),
      isOffline,
      ...(isOffline ? { hint: HINT } : {}),
    }),
    check: (signal) => Promise.all(distinctSpecs(wanted).map((spec) => checkModel(spec, signal))),
  };
}

function isUnnamed(target: Target, special: ChosenModels["special"]): boolean {
  return target !== "offline" && target.setBy === undefined && Object.values(special).includes(target);
}

type LanguageKind = "small" | "large" | "imageDescription" | SideKind;

const sideTypes = {
  reasoningSmall: ["REASONING_SMALL", "small"],
  reasoningLarge: ["REASONING_LARGE", "large"],
  objectSmall: ["OBJECT_SMALL", "small"],
  objectLarge: ["OBJECT_LARGE", "large"],
  shouldRespond: ["SHOULD_RESPOND", "small"],
} as const satisfies Readonly<Record<SideKind, readonly [keyof Models, "small" | "large"]>>;

/** How long the reasoning models think where nobody says. Servers of one's own are not asked to: many refuse it. */
const EFFORTS = { reasoningSmall: "low", reasoningLarge: "medium" } as const;

/** Models with the same name and the same parameters are one. */
function createLanguageModels(chosen: ChosenModels, settings: ModelSettings, options: CreateModelsOptions) {
  const { offline, ...modelOptions } = options;
  const made = new Map<string, LanguageModel>();
  const single = (target: Target, defaults: ModelParameters): LanguageModel => {
    const key = `${keyOf(target)} ${JSON.stringify(defaults)}`;
    const model =
      made.get(key) ?? (target === "offline" ? offline() : createLanguageModel(target, { ...modelOptions, defaults }));
    made.set(key, model);
    return model;
  };
  const make = (kind: LanguageKind, target: Target): LanguageModel => {
    const model = single(target, target === "offline" ? {} : parametersOf(kind, settings, target));
    const { fallback } = chosen;
    if (fallback === undefined || keyOf(fallback) === keyOf(target)) return model;
    const next = single(fallback, fallback === "offline" ? {} : parametersOf(kind, settings, fallback));
    return createFallback("TEXT_LARGE", [model, next], options.log);
  };
  const sides = (): Partial<Models> =>
    Object.fromEntries(
      Object.entries(sideTypes).flatMap(([name, [type, size]]) => {
        // The entries of a record have its keys.
        const kind = name as SideKind;
        const target = chosen.side[kind] ?? chosen[size];
        const hasOwn = chosen.side[kind] !== undefined || hasParameters(kind, settings) || thinks(kind, target);
        return hasOwn ? [[type, make(kind, target)]] : [];
      }),
    );
  return { make, sides };
}

function thinks(kind: SideKind, target: Target): boolean {
  return kind in EFFORTS && target !== "offline" && target.provider !== "openai-compatible";
}

function hasParameters(kind: SideKind, { character, environment }: ModelSettings): boolean {
  return character?.parameters?.[kind] !== undefined || environment?.parameters?.[kind] !== undefined;
}

/** A kind's own parameters before the general ones, and within each the character's before the environment's. */
function parametersOf(kind: LanguageKind, settings: ModelSettings, target: ModelSpec): ModelParameters {
  const { character, environment } = settings;
  const effort = kind === "reasoningSmall" || kind === "reasoningLarge" ? EFFORTS[kind] : undefined;
  const standard: ModelParameters =
    effort !== undefined && target.provider !== "openai-compatible" ? { reasoning: effort } : {};
  const sources: readonly (ModelParameters | undefined)[] = [
    character?.parameters?.[kind],
    environment?.parameters?.[kind],
    character,
    environment,
    standard,
  ];
  const first = <Field extends keyof ModelParameters>(field: Field): ModelParameters[Field] | undefined =>
    sources.find((source) => source?.[field] !== undefined)?.[field];
  const temperature = first("temperature");
  const maxTokens = first("maxTokens");
  const reasoning = first("reasoning");
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function createSpecial(
  { special, large }: ChosenModels,
  settings: ModelSettings,
  { offline: _offline, timeouts, ...rest }: CreateModelsOptions,
): Partial<Models> {
  const { character, environment } = settings;
  const { embedding, imageDescription, transcription, speech, image } = special;
  const wholeMs = timeouts?.wholeMs === undefined ? {} : { timeouts: { wholeMs: timeouts.wholeMs } };
  const oneShot = { ...rest, ...wholeMs };
  const dimensions = character?.dimensions ?? environment?.dimensions;
  const voice = character?.voice ?? environment?.voice;
  const fixed = dimensions === undefined ? {} : { dimensions };
  const spoken = voice === undefined ? {} : { voice };
  return {
    ...(embedding && { TEXT_EMBEDDING: createEmbeddingModel(embedding, { ...oneShot, ...fixed }) }),
    ...(imageDescription && {
      IMAGE_DESCRIPTION: createImageDescriptionModel(imageDescription, {
        ...rest,
        ...(timeouts && { timeouts }),
        defaults: parametersOf("imageDescription", settings, imageDescription),
      }),
    }),
    ...(transcription && { TRANSCRIPTION: createTranscriptionModel(transcription, oneShot) }),
    ...(speech && { TEXT_TO_SPEECH: createSpeechModel(speech, { ...oneShot, ...spoken }) }),
    ...(image && { IMAGE: createImageModel(image, oneShot) }),
    TEXT_TOKENIZER: createTokenizer(large === "offline" ? undefined : large.name),
  };
}

function idOf(target: Target, { offline }: CreateModelsOptions): string {
  return target === "offline" ? offline().id : modelId(target);
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
