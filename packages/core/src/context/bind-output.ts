import { failure, normalizeResult, thrownMessage } from "../action/normalize-result.ts";
import { parametersSchema } from "../action/parameters-schema.ts";
import { errorMessage, isAbort } from "../errors.ts";
import { askEnabled, type Belonging, type BindParts, chooseContext } from "./bind-action.ts";
import type { OutputCall, RegisteredOutput } from "./context-frame.ts";
import type { ContextOutput } from "./scoped.ts";

/** An output of one or several contexts of the same type, as the engine delivers it. */
export function bindContextOutput(
  group: readonly Belonging<ContextOutput>[],
  parts: BindParts,
): RegisteredOutput | null {
  const [first] = group;
  if (!first) return null;
  const { name, description, instructions, examples, content, deliver } = first.thing;
  const choice = chooseContext(group, first.thing.attributes);
  const attributes = choice.parameter ? [...first.thing.attributes, choice.parameter] : first.thing.attributes;
  const shown = {
    name,
    description,
    ...(instructions !== undefined && { instructions }),
    ...(examples.length > 0 && { examples }),
    ...(attributes.length > 0 && { attributes: parametersSchema(attributes) }),
    ...(content && { content }),
  };
  if (!deliver) return { ...shown, control: "reply" };
  return {
    ...shown,
    async deliver(call) {
      const chosen = choice.pick(call.attributes);
      if (!chosen) return failure(`The output ${name} is of none of these contexts; name one of them.`);
      const own = Object.entries(call.attributes).filter(([attribute]) => attribute !== choice.parameter?.name);
      return deliverTo(chosen, { ...call, attributes: Object.fromEntries(own) }, parts);
    },
  };
}

async function deliverTo(
  belonging: Belonging<ContextOutput>,
  call: OutputCall,
  parts: BindParts,
): ReturnType<Extract<RegisteredOutput, { deliver: unknown }>["deliver"]> {
  const { thing, owner } = belonging;
  const { attributes, content, ...rest } = call;
  try {
    const verdict = await askEnabled(belonging, parts);
    if (!verdict.pass) return failure(`The output ${thing.name} makes no sense now. ${verdict.reason ?? ""}`.trim());
    const read = await thing.check({ attributes, content });
    if (!read.ok) return failure(`The output ${thing.name} was not delivered: ${read.problem}.`);
    const ctx = owner.ctx(`${call.runId}/${call.callId}`);
    const { result, lost } = normalizeResult(await thing.deliver?.(read.value, { ...rest, ctx }));
    if (lost.length > 0) parts.log.warn({ output: thing.name, lost }, "a result cannot be kept whole");
    return result;
  } catch (error) {
    if (call.signal.aborted || isAbort(error)) throw error;
    parts.log.warn({ output: thing.name, error: errorMessage(error) }, "an output could not be delivered");
    return failure(`The output ${thing.name} was not delivered: ${thrownMessage(error)}`);
  }
}
