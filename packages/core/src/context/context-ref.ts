import { ValidationError } from "../errors.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { ContextDefinition, ContextPlace, ContextRef } from "./context-definition.ts";

/** The type of the contexts that rooms are; their key is the room's id, which is their own id too. */
export const roomType = "room";

const longestKey = 512;

/** One instance of a context. @throws ValidationError naming the context and what is wrong with its arguments or key. */
export function refTo(definition: ContextDefinition, given: unknown): ContextRef {
  const { type } = definition;
  const args = definition.readArgs(given);
  if (!args.ok) throw new ValidationError(`The arguments of context ${type} do not fit its schema: ${args.problem}.`);
  const key: unknown = definition.keyOf(args.value);
  if (typeof key !== "string" || key === "" || key.length > longestKey || !key.isWellFormed()) {
    throw new ValidationError(
      `The key of context ${type} must be a text of 1 to ${longestKey} characters; correct its key function.`,
    );
  }
  return { definition, args: args.value, key };
}

/** Where an instance stands: the same for ever. */
export function placeOf(agentId: string, { definition: { type }, args, key }: ContextRef): ContextPlace {
  return { id: contextIdOf(agentId, type, key), type, key, args };
}

/** The id of a context, and of its lane. */
export function contextIdOf(agentId: string, type: string, key: string): string {
  return type === roomType ? key : deriveId("context", agentId, type, key);
}
