import type { ExplainedInput } from "./explain.ts";
import type { ExplainedAnswer, ExplainedMessage, MessageExplanation, MessageFate } from "./explain-message.ts";
import { countOf, formatDuration, printable, printableLine, shortId } from "./explain-printable.ts";
import { describeDelivery, describeStage, forgotten, type RenderOptions } from "./explain-render.ts";

/** How an account of a message is written. `now` tells how long something has been waiting. */
export type MessageRenderOptions = Pick<RenderOptions, "formatTime"> & { readonly now: number };

/** Why a message is there, or what became of it, for people; nothing that could steer a terminal. Ends with a line end. */
export function renderMessage(explanation: MessageExplanation, options: MessageRenderOptions): string {
  const lines = renderLines(explanation, options).flatMap((line) => printable(line).split("\n"));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function renderLines(explanation: MessageExplanation, options: MessageRenderOptions): readonly string[] {
  switch (explanation.type) {
    case "unknown":
      return renderUnknown(explanation, options);
    case "said":
      return renderSaid(explanation, options);
    case "heard":
      return [...renderHeading(explanation.message, options), "", ...renderFate(explanation.fate, options)];
  }
}

function renderUnknown(
  { wanted, nearby }: Extract<MessageExplanation, { type: "unknown" }>,
  options: MessageRenderOptions,
): readonly string[] {
  const known = nearby.map(
    (near) =>
      `  ${near.platformId ?? near.memoryId}  ${options.formatTime(near.at)}  ${near.from}: ${excerpt(near.text)}`,
  );
  return [
    `Never heard: nothing named ${excerpt(wanted)} is stored.`,
    "The platform may never have told us: the agent was not running, was not in the room, or may not read there",
    "(a bot in a group often hears only mentions and commands). It may also have been forgotten since.",
    ...(known.length > 0
      ? ["", "Known near it:", ...known]
      : ["", "No message is stored at all; see: troupe memories rooms"]),
  ];
}

function renderSaid(
  { message, delivery, causes, answer }: Extract<MessageExplanation, { type: "said" }>,
  options: MessageRenderOptions,
): readonly string[] {
  const heading = message
    ? renderHeading(message, options)
    : [`A delivery of the agent: ${excerpt(delivery?.delivery.content.text ?? "")}`];
  return [
    ...heading,
    ...(delivery
      ? [`  delivery ${delivery.delivery.key}: ${describeDelivery({ ...delivery, state: delivery.state })}`]
      : []),
    "",
    ...(answer
      ? [`The agent said this in run ${shortId(answer.runId)}, because of:`, ...causes.flatMap(renderCause(options))]
      : ["The agent said this; the run it came from is not in the journal."]),
    ...(answer ? renderWhy(answer) : []),
    ...(answer ? ["", `See it all: troupe runs show ${shortId(answer.runId)}`] : []),
  ];
}

function renderCause(options: MessageRenderOptions): (cause: ExplainedInput) => readonly string[] {
  return (cause) => [
    `  ${cause.from ?? "somebody"}: ${cause.text === null ? forgotten : excerpt(cause.text)}`,
    `    message ${cause.platformId ?? cause.memoryId}${cause.at === undefined ? "" : `, ${options.formatTime(cause.at)}`}`,
  ];
}

function renderWhy(answer: ExplainedAnswer): readonly string[] {
  const { decision, models, thoughts, actions } = answer;
  return [
    ...(decision ? [`Decision: ${decision.decision}. ${decision.reason} (rule ${decision.rule})`] : []),
    ...(models.length > 0 ? [`Model:    ${models.join(", ")}`] : []),
    ...thoughts.map((thought) => `Thought:  ${excerpt(thought, 300)}`),
    ...actions.map(({ name, success, error }) => {
      const result =
        success === null ? "no result yet" : success ? "done" : `failed${error === undefined ? "" : `: ${error}`}`;
      return `Action:   ${name}, ${result}`;
    }),
  ];
}

function renderHeading(message: ExplainedMessage, { formatTime }: MessageRenderOptions): readonly string[] {
  const platformId = message.platformId === undefined ? "" : `, ${printableLine(message.platformId)} on its platform`;
  return [
    `${printableLine(message.from)}: ${excerpt(message.text, 300)}`,
    `  message ${message.memoryId}${platformId}, ${formatTime(message.at)}`,
  ];
}

function renderFate(fate: MessageFate, options: MessageRenderOptions): readonly string[] {
  switch (fate.type) {
    case "answered":
      return renderAnswered(fate);
    case "waiting":
      return renderWaiting(fate, options);
    case "in-work":
      return [
        `Being worked on in run ${shortId(fate.runId)} for ${formatDuration(options.now - fate.startedAt)}: ${describeStage(fate.stage)}.`,
        ...renderHolder(fate),
        ...seeRun(fate.runId),
      ];
    case "unanswered":
      return renderUnanswered(fate);
    case "only-remembered":
      return ["Remembered, but never put up for an answer: it came as history, or was written by a plugin."];
  }
}

function renderAnswered({ answer, runId }: Extract<MessageFate, { type: "answered" }>): readonly string[] {
  return [
    runId === null
      ? "Answered."
      : `Answered by run ${shortId(runId)}${answer && answer.texts.length > 0 ? " with:" : "."}`,
    ...(answer ? answer.texts.map((text) => `  ${excerpt(text, 300)}`) : []),
    ...(answer ? renderWhy(answer) : []),
    ...seeRun(runId),
  ];
}

function renderWaiting(
  fate: Extract<MessageFate, { type: "waiting" }>,
  options: MessageRenderOptions,
): readonly string[] {
  const { behind, position, acceptedAt } = fate;
  return [
    `Not answered yet: waiting in the inbox for ${formatDuration(options.now - acceptedAt)}, since ${options.formatTime(acceptedAt)}, number ${position} in its room.`,
    ...(behind
      ? [
          `Before it, run ${shortId(behind.runId)} is at work for ${formatDuration(options.now - behind.startedAt)}: ${describeStage(behind.stage)}.`,
        ]
      : []),
    ...renderHolder(fate),
    ...seeRun(behind?.runId ?? null),
  ];
}

function renderHolder(fate: Extract<MessageFate, { type: "waiting" | "in-work" }>): readonly string[] {
  const { attempts, isAgentRunning } = fate;
  const isNext = fate.type === "waiting" && fate.position === 1 && !fate.behind;
  return [
    ...(attempts > 0 ? [`The process ended ${countOf(attempts, "time")} while it was the next to be answered.`] : []),
    ...(isAgentRunning
      ? [
          `The room is held by the running agent.${isNext ? " It is next: its run is written down when the model has answered." : ""}`,
        ]
      : ["No agent is running; it goes on from here with: npm start"]),
  ];
}

function renderUnanswered(fate: Extract<MessageFate, { type: "unanswered" }>): readonly string[] {
  const { outcome, reason, remedy, rule, runId, answer } = fate;
  const head = {
    ignored: "Not answered: the agent chose silence.",
    failed: "Not answered: the run failed.",
    uncertain: "Nobody knows whether the answer arrived.",
    aborted: "Not answered: the run was called off.",
  }[outcome];
  return [
    head,
    `Reason:   ${reason}${rule === null ? "" : ` (rule ${rule})`}`,
    ...(remedy === null ? [] : [`Remedy:   ${remedy}`]),
    ...(answer ? answer.texts.map((text) => `Answer:   ${excerpt(text, 300)}`) : []),
    ...(answer && rule === null ? renderWhy(answer) : []),
    ...seeRun(runId),
  ];
}

function seeRun(runId: string | null): readonly string[] {
  return runId === null ? [] : ["", `See it all: troupe runs show ${shortId(runId)}`];
}

/** The beginning of a text on one line, at most `limit` characters; never half of one. */
function excerpt(text: string, limit = 120): string {
  const line = printableLine(text.slice(0, limit * 8));
  const characters = [...line];
  return characters.length <= limit ? line : `${characters.slice(0, limit).join("")}…`;
}
