import type { RegisteredAction } from "../../action/action.ts";
import type { RunnableAction } from "../../action/executable-call.ts";
import { isObject } from "../../action/json-kind.ts";
import { createActionResolver, normalizeActionName } from "../../action/resolve-action.ts";
import type { ContextFrame, RegisteredOutput } from "../../context/context-frame.ts";
import type { JsonObject } from "../../json.ts";
import type { OutputText } from "../../prompt/steps-format.ts";
import type { Run } from "../run.ts";

/** What the context of a run brings to the step it is at, looked up by name. */
export type StepFrame = {
  readonly frame: ContextFrame;
  /** The agent's own actions, but for those the context brings itself. */
  readonly actions: readonly RegisteredAction[];
  resolveAction(name: string): RegisteredAction | null;
  /** An output but for the message, as it is told to the model. */
  readonly others: readonly OutputText[];
  outputOf(name: string): RegisteredOutput | null;
};

/** Composes the frame of a step anew; a run in one answer has none. */
export async function openFrame(run: Run, step: number): Promise<StepFrame | null> {
  const { parts, recorder, lease, room } = run;
  if (!parts.contexts) return null;
  const { contextId } = lease.fence;
  if (!run.context) {
    const source = await parts.contexts.source();
    const extras = parts.contexts.extrasOf(run.inputs.map(({ id }) => id));
    run.context = await source.open({ contextId, room, ...(extras && { extras }) });
  }
  const frame = await run.context.frame({
    runId: recorder.runId,
    step,
    now: parts.clock.now(),
    signal: run.signal,
  });
  run.framed = stepFrame(frame, parts.registry.actions());
  return run.framed;
}

/** The frame of a run that another process began. */
export async function needFrame(run: Run): Promise<void> {
  const step = run.recorder.state().steps.at(-1)?.step;
  if (run.framed === null && step !== undefined) await openFrame(run, step);
}

function stepFrame(frame: ContextFrame, registered: readonly RegisteredAction[]): StepFrame {
  const own = new Set(frame.actions.map(({ name }) => normalizeActionName(name)));
  const others = frame.outputs.filter((output) => !isMessage(output));
  return {
    frame,
    actions:
      own.size === 0
        ? registered
        : [...frame.actions, ...registered.filter(({ name }) => !own.has(normalizeActionName(name)))],
    resolveAction: own.size === 0 ? () => null : createActionResolver(frame.actions),
    others: others.map(toText),
    outputOf: (name) => others.find((output) => output.name.toLowerCase() === name.toLowerCase()) ?? null,
  };
}

const isMessage = (output: RegisteredOutput): boolean => "control" in output && output.name === "message";

function toText(output: RegisteredOutput): OutputText {
  const { name, description, instructions, attributes, content, examples = [] } = output;
  const form = { ...(attributes && { attributes }), ...(content && { content }) };
  return {
    name,
    description: [description, instructions].filter((text) => text !== undefined && text !== "").join(" "),
    ...(Object.keys(form).length > 0 && { schema: JSON.stringify(form) }),
    examples: examples.map((example) => exampleOf(name, example.attributes, example.content)),
  };
}

function exampleOf(name: string, attributes: JsonObject, content: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${String(value).replaceAll('"', "&quot;")}"`,
  );
  return `<output name="${name}"${written.join("")}>${content.replaceAll("<", "&lt;")}</output>`;
}

/** The steps a run may take: as its context says, else the character. */
export function maxStepsOf({ framed, parts }: Run): number {
  return framed?.frame.maxSteps ?? parts.settings.maxSteps;
}

/** What an output's call does, as an action: what is said in the room is said, everything else goes where the output delivers it. */
export function outputAction(output: RegisteredOutput, given: JsonObject | undefined): RunnableAction {
  const attributes = isObject(given?.["attributes"]) ? given["attributes"] : {};
  const content = typeof given?.["content"] === "string" ? given["content"] : "";
  return {
    name: output.name,
    description: output.description,
    similes: [],
    async run({ parameters: _, ...call }) {
      if (!("control" in output)) return output.deliver({ ...call, attributes, content });
      await call.say({ text: content });
      return { success: true };
    },
  };
}
