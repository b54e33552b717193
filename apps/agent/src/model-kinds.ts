import type { Character } from "@troupe/core";
import type { ModelAccess, ModelChoice, ModelKind, ModelParameters } from "@troupe/models";
import type { Config } from "./config.ts";
import type { VariableName } from "./variables.ts";

type LanguageKind = keyof NonNullable<ModelChoice["parameters"]>;

/** What `settings.models` of a character says: names, and settings beside them. */
export function characterModels(models: Character["settings"]["models"]): ModelChoice {
  const names: { [Kind in ModelKind | "fallback"]?: string } = {};
  const parameters: { [Kind in LanguageKind]?: ModelParameters } = {};
  let rest: ModelChoice = {};
  // The entries of a record have its keys.
  for (const [kind, entry] of Object.entries(models) as [ModelKind | "fallback", (typeof models)[ModelKind]][]) {
    if (entry === undefined) continue;
    if (typeof entry === "string") {
      names[kind] = entry;
      continue;
    }
    const { model, dimensions, voice, ...own } = entry;
    if (model !== undefined) names[kind] = model;
    if (dimensions !== undefined) rest = { ...rest, dimensions };
    if (voice !== undefined) rest = { ...rest, voice };
    if (isLanguage(kind) && Object.keys(own).length > 0) parameters[kind] = own;
  }
  return { ...names, ...rest, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

/** The variables of each kind of language model, as `TEXT_SMALL_TEMPERATURE`. */
const prefixes = {
  small: "TEXT_SMALL",
  large: "TEXT_LARGE",
  reasoningSmall: "REASONING_SMALL",
  reasoningLarge: "REASONING_LARGE",
  objectSmall: "OBJECT_SMALL",
  objectLarge: "OBJECT_LARGE",
} as const satisfies { readonly [Kind in LanguageKind]?: string };

function isLanguage(kind: string): kind is LanguageKind {
  return Object.hasOwn(prefixes, kind) || kind === "shouldRespond" || kind === "imageDescription";
}

/** How models answer, as the environment says it: for all of them, and for each kind. */
export function environmentParameters({ values }: Config): ModelChoice {
  const { TROUPE_TEMPERATURE, TROUPE_MAX_TOKENS, TROUPE_REASONING } = values;
  const parameters = Object.fromEntries(
    Object.entries(prefixes).flatMap(([kind, prefix]) => {
      const own = parametersFrom({
        temperature: values[`${prefix}_TEMPERATURE`],
        maxTokens: values[`${prefix}_MAX_TOKENS`],
        reasoning: values[`${prefix}_REASONING`],
      });
      return Object.keys(own).length === 0 ? [] : [[kind, own]];
    }),
  );
  return {
    ...parametersFrom({
      temperature: TROUPE_TEMPERATURE,
      maxTokens: TROUPE_MAX_TOKENS,
      reasoning: TROUPE_REASONING,
    }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

function parametersFrom(
  given: {
    readonly [Name in keyof ModelParameters]-?: ModelParameters[Name] | undefined;
  },
): ModelParameters {
  const { temperature, maxTokens, reasoning } = given;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

/** Where a model may be named: first as `provider:name`, then by the names that mean OpenAI or the server like it. */
const variables = {
  reasoningSmall: ["TROUPE_REASONING_SMALL_MODEL"],
  reasoningLarge: ["TROUPE_REASONING_LARGE_MODEL"],
  objectSmall: ["TROUPE_OBJECT_SMALL_MODEL"],
  objectLarge: ["TROUPE_OBJECT_LARGE_MODEL"],
  shouldRespond: ["SHOULD_RESPOND_MODEL"],
  embedding: ["TROUPE_EMBEDDING_MODEL", "OPENAI_EMBEDDING_MODEL"],
  imageDescription: ["TROUPE_IMAGE_DESCRIPTION_MODEL", "OPENAI_IMAGE_DESCRIPTION_MODEL", "IMAGE_DESCRIPTION_MODEL"],
  transcription: ["TROUPE_TRANSCRIPTION_MODEL", "OPENAI_TRANSCRIPTION_MODEL"],
  speech: ["TROUPE_SPEECH_MODEL", "OPENAI_TTS_MODEL"],
  image: ["TROUPE_IMAGE_MODEL", "OPENAI_IMAGE_MODEL"],
} as const satisfies { readonly [Kind in ModelKind]?: readonly VariableName[] };

/** Every model the environment names beside the small and the large one, with the variable that did. */
export function environmentModels({ values }: Config, access: ModelAccess): ModelChoice {
  const names: { [Kind in ModelKind]?: string } = {};
  const setBy: { [Kind in ModelKind]?: string } = {};
  for (const [kind, candidates] of Object.entries(variables)) {
    const variable = candidates.find((candidate) => values[candidate] !== undefined);
    const value = variable && values[variable];
    if (variable === undefined || value === undefined) continue;
    // The entries of a record have its keys.
    const known = kind as keyof typeof variables;
    names[known] = variable.startsWith("OPENAI_") ? withVendor(value, access) : value;
    setBy[known] = variable;
  }
  const { OPENAI_EMBEDDING_DIMENSIONS: dimensions, OPENAI_TTS_VOICE: voice } = values;
  return {
    ...names,
    ...(Object.keys(setBy).length > 0 && { setBy }),
    ...(dimensions !== undefined && { dimensions }),
    ...(voice !== undefined && { voice }),
  };
}

function withVendor(name: string, { openaiBaseUrl }: ModelAccess): string {
  if (/^(none|off|offline)$/i.test(name)) return name;
  return `${openaiBaseUrl ? "openai-compatible" : "openai"}:${name}`;
}
