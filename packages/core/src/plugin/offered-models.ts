import { ConfigError } from "../errors.ts";
import type { Log } from "../log.ts";
import { createFallback } from "../model/fallback-model.ts";
import type { Models, ModelsByType, ModelType } from "../model/models.ts";

/** A model with its place among those of its type. */
export type ModelOffer<Model> = {
  readonly model: Model;
  /** The highest is asked first; 0 when absent. The models of the settings stand behind those of priority 0. */
  readonly priority?: number;
};

/** Models by type: one, or several with priorities. */
export type ModelOffers = {
  readonly [Type in ModelType]?: ModelsByType[Type] | readonly (ModelsByType[Type] | ModelOffer<ModelsByType[Type]>)[];
};

/** One model that somebody brought. */
export type OfferedModel = {
  readonly type: ModelType;
  readonly model: ModelsByType[ModelType];
  readonly priority: number;
};

/** What a model of each type can be told by. */
const verbs: { readonly [Type in ModelType]: keyof ModelsByType[Type] } = {
  TEXT_SMALL: "stream",
  TEXT_LARGE: "stream",
  REASONING_SMALL: "stream",
  REASONING_LARGE: "stream",
  OBJECT_SMALL: "stream",
  OBJECT_LARGE: "stream",
  SHOULD_RESPOND: "stream",
  TEXT_EMBEDDING: "embed",
  IMAGE_DESCRIPTION: "describe",
  TRANSCRIPTION: "transcribe",
  TEXT_TO_SPEECH: "speak",
  IMAGE: "draw",
  TEXT_TOKENIZER: "count",
};

/** The names of all types of models. */
export const modelTypes: readonly string[] = Object.keys(verbs);

/**
 * The models of a bundle, one by one; code without types may bring anything.
 * @throws ConfigError naming the owner, the type, what is wrong and the remedy.
 */
export function readOffers(owner: string, offers: ModelOffers): readonly OfferedModel[] {
  return Object.entries<unknown>(offers).flatMap(([type, given]) => {
    if (!isModelType(type)) {
      throw new ConfigError(
        "invalid",
        `${owner} brings a model of the type ${type}, which there is not; there are ${modelTypes.join(", ")}`,
      );
    }
    return (Array.isArray(given) ? given : [given]).map((one: unknown) => readOffer(owner, type, one));
  });
}

function isModelType(type: string): type is ModelType {
  return Object.hasOwn(verbs, type);
}

function readOffer(owner: string, type: ModelType, given: unknown): OfferedModel {
  const offer = isObject(given) && "model" in given ? given : { model: given };
  const { model } = offer;
  const priority = "priority" in offer ? (offer.priority ?? 0) : 0;
  const verb = verbs[type];
  if (!isObject(model) || !("id" in model) || typeof model.id !== "string" || !hasMethod(model, verb)) {
    throw new ConfigError(
      "invalid",
      `${owner} brings a ${type} that is no such model; give it an id and the function ${verb}()`,
    );
  }
  if (typeof priority !== "number" || !Number.isFinite(priority)) {
    throw new ConfigError("invalid", `${owner} brings a ${type} whose priority is no number; write one`);
  }
  // The type's own verb is there; what it answers is checked by whoever asks.
  return { type, model: model as unknown as ModelsByType[ModelType], priority };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function hasMethod(value: Readonly<Record<string, unknown>>, name: PropertyKey): boolean {
  return typeof Reflect.get(value, name) === "function";
}

const combined = new WeakMap<readonly OfferedModel[], Map<Models, Models>>();

/**
 * The models in use: of each type the one with the highest priority, and behind it the others, asked when it fails before it
 * said anything. Of equal priority the first brought stands first, and those of the settings last.
 */
export function combineModels(given: Models, offered: readonly OfferedModel[], log: Log): Models {
  if (offered.length === 0) return given;
  const known = combined.get(offered) ?? new Map<Models, Models>();
  combined.set(offered, known);
  const models = known.get(given) ?? { ...given, ...chains(given, offered, log) };
  known.set(given, models);
  return models;
}

function chains(given: Models, offered: readonly OfferedModel[], log: Log): Partial<Models> {
  const types = [...new Set(offered.map(({ type }) => type))];
  return Object.fromEntries(
    types.map((type) => {
      const own = given[type];
      const all = [...offered.filter((one) => one.type === type), ...(own ? [{ type, model: own, priority: 0 }] : [])];
      const [first, ...rest] = all.toSorted((one, other) => other.priority - one.priority).map(({ model }) => model);
      // Every model in the list was brought, and checked, as one of this type.
      return [type, createFallback(type, [first, ...rest] as never, log)];
    }),
  );
}
