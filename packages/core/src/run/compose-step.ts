import type { RegisteredAction, Whereabouts } from "../action/action.ts";
import type { JsonObject } from "../json.ts";
import { namesProvider, placeholderNames } from "../prompt/render-template.ts";
import { chooseProviders, composeState } from "../state/compose-state.ts";
import { actionsText, offerActions } from "../state/offer-actions.ts";
import type { RegisteredProvider, State } from "../state/provider.ts";
import type { Composed, Run } from "./run.ts";
import type { RunState } from "./run-state.ts";

/**
 * Composes what the model is to know in this step: the providers, those it asked for in earlier steps included, the actions
 * that make sense now, and the values earlier results left. Composed once a step, also for the actions that follow.
 */
export async function composeStep(run: Run, step: number): Promise<Composed> {
  const known = run.composed.get(step);
  if (known) return known;
  const { parts, recorder, message, signal, framed } = run;
  const state = recorder.state();
  const include = state.steps
    .flatMap(({ providers }) => providers)
    .filter((name) => isAskable(parts.registry.providers(), name));
  const request = {
    runId: recorder.runId,
    step,
    message,
    room: run.room,
    conversation: [...run.earlier, ...run.inputs, ...run.said],
    now: parts.clock.now(),
    signal,
  };
  const providers = chooseProviders(parts.registry.providers(), { include: [...include, ...namedByTemplate(run)] });
  const composed = await composeState(providers, request, parts.clock);
  const withResults = {
    ...composed,
    ...(framed && {
      texts: [...composed.texts, ...framed.frame.texts],
      missing: [...composed.missing, ...framed.frame.missing],
    }),
    values: { ...composed.values, ...resultValues(state) },
  };
  const occasion = { message, state: withResults, signal, ...whereabouts(run) };
  const allowed = run.filter.apply(framed?.actions ?? parts.registry.actions());
  const offered = await offerActions(allowed.actions, occasion, parts.clock);
  const listed = parts.tools(allowed.actions) ? [] : offered;
  const result = {
    state: withTexts(withResults, { offered: listed, providers: parts.registry.providers(), run: state }),
    offered,
    withheld: allowed.withheld,
  };
  run.composed.set(step, result);
  return result;
}

/** Providers the character's own template asks for by their names, private ones included: it is its author who asks. */
function namedByTemplate({ parts }: Run): readonly string[] {
  const template = parts.character.templates["messageHandler"];
  if (template === undefined) return [];
  const names = placeholderNames(template);
  const providers = parts.registry.providers();
  return providers.map(({ name }) => name).filter((name) => names.some((wanted) => namesProvider(wanted, name)));
}

/** Where a run takes place, as its actions see it. */
export function whereabouts({ room, client }: Run): Whereabouts {
  return { room, social: client.social ?? [] };
}

/** The state as the next action sees it: with the values of every result so far. */
export async function stateForAction(run: Run): Promise<State> {
  const step = run.recorder.state().steps.at(-1)?.step ?? 1;
  const { state } = await composeStep(run, step);
  return { ...state, values: { ...state.values, ...resultValues(run.recorder.state()) } };
}

function resultValues(state: RunState): JsonObject {
  if (state.mode === "steps") return state.values;
  const calls = state.steps.flatMap((step) => step.calls);
  return Object.assign({}, ...calls.map(({ result }) => result?.values ?? {}));
}

type Texts = {
  readonly offered: readonly RegisteredAction[];
  readonly providers: readonly RegisteredProvider[];
  readonly run: RunState;
};

/** What holds for every room stands before what can be done, what holds for this room after it: so rooms share a beginning. */
const actionsPosition = 100;

function withTexts(state: State, { offered, providers, run }: Texts): State {
  const positions = new Map(providers.map(({ name, position }) => [name, position]));
  const isGeneral = ({ name }: State["texts"][number]): boolean => (positions.get(name) ?? 0) < actionsPosition;
  const actions = { name: "ACTIONS", text: actionsText(offered), isStable: true };
  const more = { name: "PROVIDERS", text: providersText(providers), isStable: true };
  // In steps the results are news, each in its place.
  const results = { name: "RESULTS", text: run.mode === "steps" ? "" : resultsText(run), isStable: false };
  const general = state.texts.filter(isGeneral);
  const particular = state.texts.filter((text) => !isGeneral(text));
  return { ...state, texts: [...general, actions, more, ...particular, results].filter(({ text }) => text !== "") };
}

/** Whether the model may have this provider for the asking. */
export function isAskable(providers: readonly RegisteredProvider[], asked: string): boolean {
  const wanted = asked.trim().toUpperCase();
  return providers.some(
    ({ name, isDynamic, isPrivate }) => isDynamic === true && isPrivate !== true && name.toUpperCase() === wanted,
  );
}

/** What the model may ask for by name. */
function providersText(providers: readonly RegisteredProvider[]): string {
  const dynamic = providers.filter(({ isDynamic, isPrivate }) => isDynamic === true && isPrivate !== true);
  if (dynamic.length === 0) return "";
  const lines = dynamic.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ""}`);
  return `# More to know\nName what you need in "providers", before "text", and you are shown it before you answer.\n${lines.join("\n")}`;
}

/** What the actions of this run came to, as data; the model has not been shown it in an answered prompt. */
function resultsText(run: RunState): string {
  const lines = run.steps
    .flatMap((step) => step.calls)
    .filter(({ parentCallId, result }) => parentCallId === undefined && result !== null)
    .flatMap(({ name, result }) => {
      const told = {
        action: name,
        success: result?.success,
        text: result?.text,
        error: result?.error,
        data: result?.data,
      };
      return (result?.text ?? result?.error ?? result?.data) ? [JSON.stringify(told).replaceAll("<", "\\u003c")] : [];
    });
  return lines.length === 0 ? "" : `<results>\n${lines.join("\n")}\n</results>`;
}
