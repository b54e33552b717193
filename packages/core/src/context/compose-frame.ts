import { errorMessage } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { withinDeadline } from "../plugin/deadline.ts";
import { escapeMessageText, escapeName } from "../state/escape.ts";
import type { State } from "../state/provider.ts";
import {
  type Attached,
  askEnabled,
  askTimeoutMs,
  type Belonging,
  bindContextAction,
  groupByName,
} from "./bind-action.ts";
import { bindContextOutput } from "./bind-output.ts";
import { type Composed, composeContexts, nameOf } from "./compose-contexts.ts";
import type { ContextPlace, ContextRef } from "./context-definition.ts";
import type { ContextFrame, ContextName, FrameRequest, RunExtras } from "./context-frame.ts";
import type { ContextStates } from "./context-states.ts";
import { createHooks } from "./hooks.ts";
import type { ContextSourceParts } from "./open-context.ts";
import type { ContextAction, ContextOutput, Ctx } from "./scoped.ts";

/** One frame to be composed. `known` keeps the states that were read, from one frame of a run to the next. */
export type FrameToCompose = {
  readonly ref: ContextRef;
  readonly extras: RunExtras;
  readonly request: FrameRequest;
  readonly known: Map<string, JsonValue>;
};

type Missing = { name: string; failed: string }[];
type Parts = ContextSourceParts;
/** A context at work in a frame. */
type Member = Composed & Attached;

/** What a context brings to a step. @throws TroupeError naming the context that cannot be read, or the circle. */
export async function composeFrame(
  { ref, extras, request, known }: FrameToCompose,
  parts: Parts,
): Promise<ContextFrame> {
  const { agentId, states, definitions, log } = parts;
  const composition = await composeContexts(ref, extras.contexts ?? [], {
    agentId,
    open: (one) => states.open(one),
    current: (one) => definitions.current(one),
  });
  const members = composition.contexts.map((composed) => attach(composed, known, states));
  const missing: Missing = [...composition.missing];
  const [own] = members;
  const [texts, actions, outputs] = await Promise.all([
    renderAll(members, { request, missing }, parts),
    bindActions(members, extras.actions ?? [], { missing, parts }),
    bindOutputs(members, extras.outputs ?? [], { missing, parts }),
  ]);
  for (const { name, failed } of missing) log.warn({ name, failed }, "a context could not bring what it should");
  const { maxSteps = own?.ref.definition.maxSteps, model = own?.ref.definition.model } = extras;
  const names = members.map(({ place }) => toName(place));
  return {
    ...toName(own?.place ?? { id: "", type: "", key: "", args: null }),
    contexts: names,
    texts,
    actions,
    outputs,
    missing,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(model && { model }),
    ...createHooks(
      members.map((member) => ({ ...member, definition: member.ref.definition })),
      parts,
    ),
    save: () => states.settled(members.map(({ place }) => place.id)),
  };
}

function toName({ id, type, key }: ContextPlace): ContextName {
  return { contextId: id, type, key };
}

function attach(composed: Composed, known: Map<string, JsonValue>, states: ContextStates): Member {
  const { ref, place, state } = composed;
  known.set(place.id, state);
  const ctx = (operation?: string): Ctx => {
    let changes = 0;
    return {
      ...place,
      get state() {
        return states.peek(place.id) ?? known.get(place.id) ?? state;
      },
      async update(change) {
        const name = operation === undefined ? undefined : `${operation}/${changes}`;
        changes += 1;
        const next = await states.update(ref, change, name);
        known.set(place.id, next);
        return next;
      },
    };
  };
  return { ...composed, ctx };
}

type Rendered = { readonly request: FrameRequest; readonly missing: Missing };

/** Instructions first, as they stay the same; then how things are now. A function that throws or is late brings no text. */
async function renderAll(
  members: readonly Member[],
  { request, missing }: Rendered,
  parts: Parts,
): Promise<State["texts"]> {
  const { now, step, runId } = request;
  const ask = async (what: "instructions" | "render", member: Member): Promise<string> => {
    const { definition } = member.ref;
    const work = async (): Promise<unknown> => definition[what]?.(member.ctx(), { now, step, runId });
    const deadline = { clock: parts.clock, timeoutMs: askTimeoutMs, what };
    try {
      const text = definition[what] ? await withinDeadline(work, deadline) : "";
      return typeof text === "string" ? text.trim() : "";
    } catch (error) {
      missing.push({ name: `${what} of ${nameOf(member.place)}`, failed: errorMessage(error) });
      return "";
    }
  };
  const [instructions, renderings] = await Promise.all([
    Promise.all(members.map((member) => ask("instructions", member))),
    Promise.all(members.map((member) => ask("render", member))),
  ]);
  const stable = [...new Set(instructions)].map((text, at) => ({ name: `INSTRUCTIONS_${at}`, text, isStable: true }));
  const volatile = renderings.map((text, at) => ({
    name: `CONTEXT_${at}`,
    text: text === "" ? "" : enclose(members[at]?.place, text),
    isStable: false,
  }));
  return [...stable, ...volatile].filter(({ text }) => text !== "");
}

/** Rendered state is data, perhaps with people's words in it: it cannot end its own element, nor forge ours. */
function enclose(place: ContextPlace | undefined, text: string): string {
  const safe = escapeMessageText(text).replace(/<(?=\s*\/?\s*context\b)/giu, "&lt;");
  const { type = "", key = "" } = place ?? {};
  return `<context type="${escapeName(type)}" key="${escapeName(key)}">\n${safe}\n</context>`;
}

type Binding = { readonly missing: Missing; readonly parts: Parts };

function taken(missing: Missing, what: string): (name: string, owner: ContextPlace) => void {
  return (name, owner) =>
    void missing.push({
      name: `${what} ${name} of ${nameOf(owner)}`,
      failed: "another context brings one of this name; rename one",
    });
}

/** Those enabled now, each name once. */
async function bindActions(
  members: readonly Member[],
  extra: readonly ContextAction[],
  { missing, parts }: Binding,
): Promise<ContextFrame["actions"]> {
  const [own] = members;
  const all: readonly Belonging<ContextAction>[] = [
    ...(own ? extra.map((thing) => ({ thing, owner: own })) : []),
    ...members.flatMap((owner) => owner.ref.definition.actions.map((thing) => ({ thing, owner }))),
  ];
  const groups = groupByName(await onlyEnabled(all, parts), taken(missing, "action"));
  return groups.flatMap((group) => bindContextAction(group, parts) ?? []);
}

async function bindOutputs(
  members: readonly Member[],
  extra: readonly ContextOutput[],
  { missing, parts }: Binding,
): Promise<ContextFrame["outputs"]> {
  const [own] = members;
  const given = [...extra, ...parts.definitions.outputs()];
  const all: readonly Belonging<ContextOutput>[] = [
    ...members.flatMap((owner) => owner.ref.definition.outputs.map((thing) => ({ thing, owner }))),
    ...(own ? given.map((thing) => ({ thing, owner: own })) : []),
  ];
  const groups = groupByName(await onlyEnabled(all, parts), taken(missing, "output"));
  return groups.flatMap((group) => bindContextOutput(group, parts) ?? []);
}

async function onlyEnabled<Thing extends Pick<ContextAction, "name" | "enabled">>(
  all: readonly Belonging<Thing>[],
  parts: Parts,
): Promise<readonly Belonging<Thing>[]> {
  const verdicts = await Promise.all(all.map((belonging) => askEnabled(belonging, parts)));
  return all.filter((_, at) => verdicts[at]?.pass === true);
}
