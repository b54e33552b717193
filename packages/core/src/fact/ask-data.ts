import { ModelError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { PromptMessage } from "../model/model.ts";
import { languageModelOf, type Models } from "../model/models.ts";

/** With what a question beside the conversation is put. */
export type AskDataParts = { readonly models: () => Models; readonly events: Events };

/** A question whose answer is data, and where it belongs. */
export type DataQuestion = {
  readonly messages: readonly PromptMessage[];
  /** A JSON Schema. */
  readonly schema: JsonObject;
  readonly maxTokens: number;
  readonly runId: string;
  readonly roomId: string;
};

/**
 * Asks the small model for data; null when it answered, and nothing can be made of it.
 * @throws ModelError when it could not answer.
 */
export async function askData(
  question: DataQuestion,
  { models, events }: AskDataParts,
  signal: AbortSignal,
): Promise<JsonValue | null> {
  const { runId, roomId, ...asked } = question;
  // It checks with a library that few agents need.
  const { askForObject } = await import("../plugin/ask-for-object.ts");
  let answers = 0;
  try {
    return await askForObject(languageModelOf(models(), "OBJECT_SMALL"), { ...asked, signal }, (cost) => {
      const { model, usage, costMicrousd } = cost;
      answers += 1;
      const use = { model, usage, ...(costMicrousd !== undefined && { costMicrousd }), runId, roomId };
      events.emit({ type: "MODEL_USED", ...use });
    });
  } catch (error) {
    // It is asked twice at most: two answers and still an error are two answers that do not fit.
    if (error instanceof ModelError && answers >= 2) return null;
    throw error;
  }
}
