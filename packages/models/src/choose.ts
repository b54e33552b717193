import type { ReasoningEffort } from "@troupe/core";
import { chooseSpecial, type SpecialKind } from "./choose-special.ts";
import { defaultProvider, type ModelAccess, parseName, parseProvider, type Target, toSpec } from "./model-name.ts";
import { PROVIDERS } from "./spec.ts";

/** Language models that stand beside the small and the large one, by what they are for. */
export type SideKind = "reasoningSmall" | "reasoningLarge" | "objectSmall" | "objectLarge" | "shouldRespond";

/** Everything a model can be set for. */
export type ModelKind = "small" | "large" | SideKind | SpecialKind;

/** How a model answers unless a request says otherwise. */
export type ModelParameters = {
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** How long a reasoning model may think; low answers sooner and costs less. */
  readonly reasoning?: ReasoningEffort;
};

/**
 * What a character or the environment says about models. Every field may be absent. A model is `provider:name`, or a bare
 * name whose provider is inferred; `shouldRespond` may be `small` or `large`; a special one (embedding, images, speech) may
 * be `none`.
 */
export type ModelChoice = ModelParameters & { readonly [Kind in ModelKind]?: string } & {
  /** `openai`, `anthropic`, `openai-compatible`, `ollama`, `lmstudio`, `vllm` or `offline`. */
  readonly provider?: string;
  /** Asked when the first choice of a language model fails before it said anything; `offline` is allowed. */
  readonly fallback?: string;
  /** For one kind of language model alone. */
  readonly parameters?: { readonly [Kind in "small" | "large" | "imageDescription" | SideKind]?: ModelParameters };
  /** Length of embedding vectors, where the model lets one choose. */
  readonly dimensions?: number;
  /** Voice of speech, as the vendor names it. */
  readonly voice?: string;
  /** Where a model was set when that is not its usual variable, for messages. */
  readonly setBy?: { readonly [Kind in ModelKind]?: string };
};

/** Everything that decides which models an agent has. A character that names a provider or a text model decides for both sizes. */
export type ModelSettings = {
  readonly character?: ModelChoice;
  readonly environment?: ModelChoice;
  readonly access?: ModelAccess;
};

/** The environment variables that messages name, by what they set. The program that reads the environment uses the same. */
export const MODEL_VARIABLES = {
  provider: "TROUPE_PROVIDER",
  fallback: "TROUPE_FALLBACK_MODEL",
  small: "TROUPE_SMALL_MODEL",
  large: "TROUPE_LARGE_MODEL",
  reasoningSmall: "TROUPE_REASONING_SMALL_MODEL",
  reasoningLarge: "TROUPE_REASONING_LARGE_MODEL",
  objectSmall: "TROUPE_OBJECT_SMALL_MODEL",
  objectLarge: "TROUPE_OBJECT_LARGE_MODEL",
  shouldRespond: "SHOULD_RESPOND_MODEL",
  embedding: "TROUPE_EMBEDDING_MODEL",
  imageDescription: "TROUPE_IMAGE_DESCRIPTION_MODEL",
  transcription: "TROUPE_TRANSCRIPTION_MODEL",
  speech: "TROUPE_SPEECH_MODEL",
  image: "TROUPE_IMAGE_MODEL",
} as const satisfies Readonly<Record<ModelKind | "provider" | "fallback", string>>;

/** Which models an agent gets. Kinds that are not among `side` and `special` have none of their own. */
export type ChosenModels = {
  readonly small: Target;
  readonly large: Target;
  readonly fallback: Target | undefined;
  readonly side: { readonly [Kind in SideKind]?: Target };
  readonly special: ReturnType<typeof chooseSpecial>;
};

/**
 * Decides which models to use; asks nobody.
 * @throws ConfigError naming the setting, what is wrong with it and the remedy.
 */
export function chooseModels(settings: ModelSettings): ChosenModels {
  const access = settings.access ?? {};
  const { character } = settings;
  const isByCharacter = Boolean(character?.provider || character?.small || character?.large);
  const origin: Origin = isByCharacter ? "character" : "environment";
  const chooser: Chooser = { choice: settings[origin] ?? {}, origin, access };
  const fallbackOrigin: Origin = character?.fallback ? "character" : "environment";
  const fallback = settings[fallbackOrigin]?.fallback;
  const small = chooseSize("small", chooser);
  const large = chooseSize("large", chooser);
  return {
    small,
    large,
    fallback: fallback ? parseName(fallback, { access, setBy: nameOf("fallback", fallbackOrigin) }) : undefined,
    side: chooseSide(settings, origin, { small, large }),
    special: chooseSpecial(access, large, (kind) => {
      const from: Origin = settings.character?.[kind] ? "character" : "environment";
      return { name: settings[from]?.[kind], setBy: settings[from]?.setBy?.[kind] ?? nameOf(kind, from) };
    }),
  };
}

type Origin = "character" | "environment";
type Chooser = { readonly choice: ModelChoice; readonly origin: Origin; readonly access: ModelAccess };

function nameOf(field: keyof typeof MODEL_VARIABLES, origin: Origin): string {
  return origin === "environment" ? MODEL_VARIABLES[field] : `the character's model setting "${field}"`;
}

function chooseSize(size: "small" | "large", { choice, origin, access }: Chooser): Target {
  const providerSetBy = nameOf("provider", origin);
  const named = choice[size] ? size : choice.small ? "small" : choice.large ? "large" : undefined;
  const provider = choice.provider ? parseProvider(choice.provider, providerSetBy) : undefined;
  if (named !== undefined) {
    const hint = provider === undefined ? {} : { provider };
    return parseName(choice[named] ?? "", { access, setBy: choice.setBy?.[named] ?? nameOf(named, origin), ...hint });
  }
  const known = provider ?? defaultProvider(access);
  if (known === "offline") return "offline";
  const spec = toSpec(known, undefined, access, providerSetBy);
  const name = PROVIDERS[spec.provider].defaults?.[size];
  return name === undefined ? spec : { ...spec, name };
}

const sideKinds: readonly SideKind[] = [
  "reasoningSmall",
  "reasoningLarge",
  "objectSmall",
  "objectLarge",
  "shouldRespond",
];

/** The environment's side models do not stand beside a character's own text models: they may be of another vendor. */
function chooseSide(
  settings: ModelSettings,
  textOrigin: Origin,
  sizes: { readonly small: Target; readonly large: Target },
): ChosenModels["side"] {
  const side: { [Kind in SideKind]?: Target } = {};
  for (const kind of sideKinds) {
    const origin: Origin = settings.character?.[kind] ? "character" : textOrigin;
    const { setBy, provider, [kind]: named } = settings[origin] ?? {};
    const name = named?.trim();
    if (!name) continue;
    const size = name.toLowerCase();
    if (size === "small" || size === "large") {
      side[kind] = sizes[size];
      continue;
    }
    const known = provider ? parseProvider(provider, nameOf("provider", origin)) : undefined;
    side[kind] = parseName(name, {
      access: settings.access ?? {},
      setBy: setBy?.[kind] ?? nameOf(kind, origin),
      ...(known !== undefined && { provider: known }),
    });
  }
  return side;
}
