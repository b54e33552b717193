import { z } from "zod";
import { numeric, wholeNumber } from "./numeric.ts";

/** Everything a character may name a model for. */
type CharacterModelKind =
  | "small"
  | "large"
  | "reasoningSmall"
  | "reasoningLarge"
  | "objectSmall"
  | "objectLarge"
  | "shouldRespond"
  | "embedding"
  | "imageDescription"
  | "transcription"
  | "speech"
  | "image";

/** A model with settings of its own; without `model` the usual one is used with these settings. */
type CharacterModel = {
  readonly model?: string;
  /** 0 (always the likeliest word) to 2. */
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly reasoning?: "none" | "minimal" | "low" | "medium" | "high";
  /** Length of the vectors; of `embedding` only. */
  readonly dimensions?: number;
  /** As the vendor names it; of `speech` only. */
  readonly voice?: string;
};

/** Which model does what; names as the model's vendor writes them, with `provider:` before them where it is another. */
export type CharacterModels = {
  readonly [Kind in CharacterModelKind]?: string | CharacterModel;
} & {
  /** Asked when another language model does not answer. */
  readonly fallback?: string;
};

const name = z.string().max(500);

const language = {
  model: name.exactOptional(),
  temperature: numeric(z.number().min(0).max(2)).exactOptional(),
  maxTokens: wholeNumber(1, 1_000_000).exactOptional(),
  reasoning: z.enum(["none", "minimal", "low", "medium", "high"]).exactOptional().describe("How long it may think."),
};
const named = { model: name.exactOptional() };
const dimensions = wholeNumber(1, 16_384).exactOptional().describe("Length of the vectors.");
const voice = z.string().max(100).exactOptional().describe("As the vendor names it.");

const entry = <Shape extends z.ZodRawShape>(shape: Shape, what: string) =>
  z
    .union([name, z.object(shape)])
    .exactOptional()
    .describe(what);

/** `settings.models` as it stands in the file. */
export const modelsSchema = z
  .object({
    small: entry(language, "Decisions, extraction and other short work."),
    large: entry(language, "Replies."),
    fallback: name.exactOptional().describe("Asked when one of the others does not answer."),
    reasoningSmall: entry(language, "Short work that needs thought."),
    reasoningLarge: entry(language, "Long work that needs thought."),
    objectSmall: entry(language, "Short answers as data."),
    objectLarge: entry(language, "Long answers as data."),
    shouldRespond: entry(language, 'Whether to answer: a model, "small" or "large".'),
    embedding: entry({ ...named, dimensions }, 'Finding memories by meaning; "none" for full text alone.'),
    imageDescription: entry(language, 'Looking at images; "none" to look at none.'),
    transcription: entry(named, "Hearing voice messages."),
    speech: entry({ ...named, voice }, "Speaking."),
    image: entry(named, "Drawing."),
  })
  .describe("Models by the work they do: a name, or a name with settings.");

/** What may stand beside a model's name. */
export const MODEL_KEYS: readonly string[] = [...Object.keys(language), "dimensions", "voice"];

/** The models of a file; `model` is the one for both sizes where they name none. */
export function toModels(written: z.output<typeof modelsSchema>, model: string | undefined): CharacterModels {
  const sized = (own: string | CharacterModel | undefined): string | CharacterModel | undefined => {
    if (model === undefined || typeof own === "string" || own?.model !== undefined) return own;
    return own === undefined ? model : { ...own, model };
  };
  const small = sized(written.small);
  const large = sized(written.large);
  return { ...written, ...(small !== undefined && { small }), ...(large !== undefined && { large }) };
}
