import type { JsonValue } from "../json.ts";
import type { ExplainedBody, ExplainedDelivery, ExplainedEntry, ExplainedRun, PlainBody, RunStage } from "./explain.ts";
import {
  countOf,
  formatCost,
  formatCount,
  formatDuration,
  printable,
  printableLine,
  shortId,
} from "./explain-printable.ts";

/** How an account is written. */
export type RenderOptions = {
  /** A moment for people, from epoch milliseconds. */
  readonly formatTime: (at: number) => string;
  /** Prompts with their whole text instead of their sizes. */
  readonly prompt?: boolean;
  /** Answers as the model wrote them, beside what was read from them. */
  readonly raw?: boolean;
};

/** What stands in place of a text that was forgotten. */
export const forgotten = "[forgotten]";

const labelWidth = 10;
const timeWidth = 10;

/** A run for people: a head, one paragraph per entry, nothing that could steer a terminal. Ends with a line end. */
export function renderRun(run: ExplainedRun, options: RenderOptions): string {
  const entries = run.entries.flatMap((entry) => renderEntry(entry, options));
  const none = run.entries.length === 0 ? ["  The journal has no entries of this run."] : [];
  return `${[...renderHead(run, options), "", ...entries, ...none].join("\n")}\n`;
}

function renderHead(run: ExplainedRun, options: RenderOptions): readonly string[] {
  const { room } = run;
  const spent = spentOn(run.usage, run.costMicrousd);
  return [
    `Run ${printableLine(run.id)}  ${outcomeOf(run)}`,
    `  started  ${options.formatTime(run.startedAt)}`,
    `  agent    ${printableLine(run.agentName)}`,
    `  room     ${room ? `${printableLine(room.name)} on ${printableLine(room.platform)}` : printableLine(run.contextId)}`,
    ...(run.models.length > 0 ? [`  model    ${run.models.map(printableLine).join(", ")}`, `  used     ${spent}`] : []),
    ...(run.reason === undefined ? [] : [`  reason   ${printableLine(run.reason)}`]),
  ];
}

/** How a run ended, or where it stands: `answered in 1.9 s`, `not ended: waiting for openai:gpt-5-mini`. */
function outcomeOf(run: ExplainedRun): string {
  if (run.outcome === undefined) return `not ended: ${describeStage(run.stage ?? { type: "ending" })}`;
  return run.durationMs === undefined ? run.outcome : `${run.outcome} in ${formatDuration(run.durationMs)}`;
}

/** What an open run is at, as the end of a sentence. */
export function describeStage(stage: RunStage): string {
  switch (stage.type) {
    case "deciding":
      return "deciding whether to speak";
    case "thinking":
      return stage.model === null
        ? `composing the prompt of step ${stage.step}`
        : `waiting for ${printableLine(stage.model)} (step ${stage.step})`;
    case "delivering":
      return `delivering ${printableLine(stage.key)}`;
    case "acting":
      return `running the action ${printableLine(stage.action)}`;
    case "ending":
      return "about to end";
  }
}

/** Tokens and cost in words: `1,200 tokens in (1,000 cached), 45 out, $0.0012`. */
function spentOn(usage: ExplainedRun["usage"], costMicrousd: number | undefined): string {
  const cached = usage.cachedInputTokens > 0 ? ` (${formatCount(usage.cachedInputTokens)} cached)` : "";
  const cost = costMicrousd === undefined ? "price unknown" : formatCost(costMicrousd);
  return `${formatCount(usage.inputTokens)} tokens in${cached}, ${formatCount(usage.outputTokens)} out, ${cost}`;
}

function renderEntry({ afterMs, body }: ExplainedEntry, options: RenderOptions): readonly string[] {
  const [label, lines] = renderBody(body, options);
  const indent = " ".repeat(timeWidth + 2 + labelWidth + 1);
  const all = lines.flatMap((line) => printable(line).split("\n"));
  const [first = "", ...rest] = all;
  const head = `${`+${formatDuration(afterMs)}`.padStart(timeWidth)}  ${label.padEnd(labelWidth)} ${first}`;
  return [head.trimEnd(), ...rest.map((line) => `${indent}${line}`.trimEnd())];
}

function renderBody(body: ExplainedBody, options: RenderOptions): readonly [label: string, lines: readonly string[]] {
  switch (body.type) {
    case "input":
      return ["heard", renderInputs(body, options)];
    case "decision":
      return [decisionLabel(body.decision), [`${body.reason} (rule ${body.rule})`]];
    case "state":
      return [
        "composed",
        [
          body.composed.length > 0 ? body.composed.join(", ") : "nothing",
          ...body.missing.map(({ name, failed }) => `missing: ${name} (${failed})`),
          ...body.withheld.map(({ actions, reason }) => `withheld: ${actions.join(", ")} (${reason})`),
        ],
      ];
    case "prompt":
      return ["asked", renderPrompt(body, options)];
    case "model_answer":
      return ["model", renderAnswer(body, options)];
    case "model_used":
      return ["model", [`${body.model}, asked by ${body.plugin}: ${spentOn(body.usage, body.costMicrousd)}`]];
    case "action_call":
      return ["called", [renderCall(body)]];
    case "child_run":
      return ["handed", [`a message to the agent; its run is ${printableLine(body.childRunId)}`]];
    case "action_started":
      return ["started", [nameOf(body)]];
    case "action_result":
      return ["result", renderResult(body)];
    case "output":
      return ["output", renderOutput(body)];
    case "receipt":
      return ["receipt", [renderReceipt(body)]];
    case "error":
      return ["error", [`${body.where}: ${body.message} (${body.code})`]];
    case "end":
      return ["ended", [body.reason === undefined ? body.outcome : `${body.outcome}: ${body.reason}`]];
    default:
      return renderPlain(body);
  }
}

/** An entry without words of its own: its kind and what it says, as they stand. */
function renderPlain(body: PlainBody): readonly [label: string, lines: readonly string[]] {
  const { type, ...rest }: { readonly type: string } = body;
  return ["noted", [`${type.replaceAll("_", " ")} ${shownJson(rest)}`]];
}

function decisionLabel(decision: Extract<ExplainedBody, { type: "decision" }>["decision"]): string {
  switch (decision) {
    case "respond":
      return "responds";
    case "ignore":
      return "ignores";
    case "stop":
      return "stops";
  }
}

function renderInputs(
  { inputs }: Extract<ExplainedBody, { type: "input" }>,
  { formatTime }: RenderOptions,
): readonly string[] {
  return inputs.flatMap((input) => {
    const platformId = input.platformId === undefined ? "" : `, ${printableLine(input.platformId)} on its platform`;
    const at = input.at === undefined ? "" : `, ${formatTime(input.at)}`;
    return [
      `${printableLine(input.from ?? "somebody")}: ${input.text ?? forgotten}`,
      `message ${input.memoryId}${platformId}${at}`,
    ];
  });
}

function renderPrompt(body: Extract<ExplainedBody, { type: "prompt" }>, { prompt }: RenderOptions): readonly string[] {
  const purpose = { answer: "an answer", decision: "a decision", retry: "a readable answer, again" }[body.purpose];
  const known = body.parts.flatMap(({ text }) => (text === null ? [] : [text.length]));
  const characters = known.reduce((sum, length) => sum + length, 0);
  const lost = body.parts.length - known.length;
  const size = `${countOf(body.parts.length, "message")}, ${countOf(characters, "character")}${lost > 0 ? `, ${lost} forgotten` : ""}`;
  const head = `${body.model} for ${purpose} (step ${body.step}): ${size}`;
  if (prompt !== true) return [head];
  return [head, ...body.parts.flatMap(({ role, text }) => [`── ${role}`, text ?? forgotten]), "──"];
}

function renderAnswer(
  body: Extract<ExplainedBody, { type: "model_answer" }>,
  { raw }: RenderOptions,
): readonly string[] {
  const unusable = body.isUsable ? "" : "; nothing could be made of it";
  const shown = raw === true || !body.isUsable || body.purpose === "decision";
  return [
    `${body.model} (${body.finishReason}${unusable}): ${spentOn(body.usage, body.costMicrousd)}`,
    ...(body.thought === undefined ? [] : [`thought: ${body.thought}`]),
    ...(body.text === undefined ? [] : [`says: ${body.text}`]),
    ...body.notes.map((note) => `note: ${shownJson(note)}`),
    ...(body.raw === null ? [`answer: ${forgotten}`] : shown ? ["── raw answer", body.raw, "──"] : []),
  ];
}

const origins = { named: "by name", keyword: "by keyword", command: "as a command", output: "as an output" } as const;

function renderCall(body: Extract<ExplainedBody, { type: "action_call" }>): string {
  const parameters = body.parameters === undefined ? "" : ` ${shownJson(body.parameters)}`;
  const others = body.keywords.length > 0 ? `, keywords of the answer: ${body.keywords.join(" ")}` : "";
  return `${body.name}${parameters} (${origins[body.origin]}${others})`;
}

function renderResult(body: Extract<ExplainedBody, { type: "action_result" }>): readonly string[] {
  return [
    `${nameOf(body)}: ${body.success ? "done" : "failed"}${body.error === undefined ? "" : `: ${body.error}`}`,
    ...(body.text === undefined ? [] : [`text: ${body.text}`]),
    ...(body.data === undefined ? [] : [`data: ${shownJson(body.data)}`]),
  ];
}

function nameOf({ name, callId }: { readonly name: string | null; readonly callId: string }): string {
  return `${name ?? "call"} ${callId}`;
}

function renderOutput(body: Extract<ExplainedBody, { type: "output" }>): readonly string[] {
  if (!body.isFinal)
    return [`${body.kind}, opened while the answer comes: ${body.deliveries.map(({ key }) => key).join(", ")}`];
  return [`${body.kind} in ${countOf(body.deliveries.length, "piece")}`, ...body.deliveries.flatMap(renderDelivery)];
}

function renderDelivery(delivery: ExplainedDelivery): readonly string[] {
  return [
    `${delivery.key}: ${describeDelivery(delivery)}`,
    ...(delivery.text === undefined || delivery.text === "" ? [] : [`  ${printableLine(delivery.text)}`]),
  ];
}

/** Where a delivery stands, in words: `sent as 123`, `uncertain: …`. */
export function describeDelivery({ state, platformId, error, attempts = 0 }: Omit<ExplainedDelivery, "key">): string {
  const as = platformId === undefined ? "" : ` as ${platformId}`;
  const tries = attempts > 1 ? ` after ${formatCount(attempts)} attempts` : "";
  return printableLine(`${state ?? "not in the outbox"}${as}${tries}${error === undefined ? "" : `: ${error}`}`);
}

function renderReceipt(body: Extract<ExplainedBody, { type: "receipt" }>): string {
  return `${describeDelivery(body)}${body.isWithdrawn ? " (withdrawn)" : ""}, ${pieceOf(body.key)}`;
}

/** The part of a delivery's key after its run. */
function pieceOf(key: string): string {
  const [run = "", ...rest] = key.split("/");
  return rest.length === 0 ? key : `${shortId(run)}/${rest.join("/")}`;
}

const shownJsonLength = 2_000;

function shownJson(value: JsonValue | object): string {
  const text = JSON.stringify(value) ?? "";
  return text.length <= shownJsonLength
    ? text
    : `${text.slice(0, shownJsonLength)}… (${countOf(text.length, "character")})`;
}
