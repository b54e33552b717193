import { ModelError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import { askData } from "../fact/ask-data.ts";
import type { Log } from "../log.ts";
import type { PromptMessage } from "../model/model.ts";
import { languageModelOf, type Models } from "../model/models.ts";
import { type Check, checkPrompt, checkSchema, readCheck, type SpanText, summaryPrompt } from "./summary-prompts.ts";

/** What writing a summary needs. */
export type WriteParts = { readonly models: () => Models; readonly events: Events; readonly log: Log };

/** For which run and room it is written. */
export type WriteFor = { readonly runId: string; readonly roomId: string };

/** The words, and how much of what must not be lost they keep; without a score when nobody could check. */
export type Written = { readonly text: string; readonly score?: number };

const summaryTokens = 600;
const checkTokens = 800;
const longestSummary = 2_400;
/** Below this it is written once more, with what was left out named. */
const goodScore = 0.8;

/**
 * Writes a summary and checks that no open question and no promise is lost; one that loses too many is written once more.
 * @throws ModelError when the model could not answer, or said nothing.
 */
export async function writeSummary(
  span: SpanText,
  about: WriteFor,
  parts: WriteParts,
  signal: AbortSignal,
): Promise<Written> {
  const first = await write(summaryPrompt(span), about, parts, signal);
  const check = await checkSummary(span, first, { about, parts }, signal);
  if (check === null) return { text: first };
  if (check.score >= goodScore) return { text: first, score: check.score };
  parts.log.info({ ...about, score: check.score, missing: check.missing.length }, "a summary lost too much; once more");
  const second = await write(summaryPrompt(span, check.missing), about, parts, signal);
  const again = await checkSummary(span, second, { about, parts }, signal);
  if (again === null || again.score < check.score) return { text: first, score: check.score };
  return { text: second, score: again.score };
}

async function write(
  messages: readonly PromptMessage[],
  about: WriteFor,
  { models, events }: WriteParts,
  signal: AbortSignal,
): Promise<string> {
  const model = languageModelOf(models(), "TEXT_SMALL");
  let text = "";
  for await (const event of model.stream({ messages, maxTokens: summaryTokens, signal })) {
    if (event.type === "text") text += event.text;
    if (event.type !== "finish") continue;
    const { model: id, usage, costMicrousd } = event;
    events.emit({
      type: "MODEL_USED",
      model: id,
      usage,
      ...(costMicrousd !== undefined && { costMicrousd }),
      ...about,
    });
  }
  const written = [...text.toWellFormed().trim()].slice(0, longestSummary).join("");
  if (written === "") throw new ModelError("unavailable", `${model.id} wrote an empty summary; try again`);
  return written;
}

async function checkSummary(
  span: SpanText,
  summary: string,
  { about, parts }: { readonly about: WriteFor; readonly parts: WriteParts },
  signal: AbortSignal,
): Promise<Check | null> {
  const question = { messages: checkPrompt(span, summary), schema: checkSchema, maxTokens: checkTokens, ...about };
  try {
    const answer = await askData(question, parts, signal);
    return answer === null ? null : readCheck(answer);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    parts.log.warn({ ...about, code: error.code }, "a summary could not be checked; it is kept as it is");
    return null;
  }
}
