import { isList, isObject } from "../action/json-kind.ts";
import type { JsonValue } from "../json.ts";

/** What is kept of one context, as JSON, under its id. */
export type ContextRecord = {
  readonly type: string;
  readonly key: string;
  readonly args: JsonValue;
  /** Absent where the context has no state, or keeps it elsewhere. */
  readonly state?: JsonValue;
  /** The changes of calls that may be done again, newest last. */
  readonly done: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** Where contexts are kept among the small values. */
export const contextNamespace = "context";

/** Where a state is kept that was made anew by a `migrate`. */
export const outgrownNamespace = "context.outgrown";

/** A record as it was kept, or null when it is none. */
export function readRecord(text: string): ContextRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isObject(value)) return null;
  const { type, key, args, state, done, createdAt, updatedAt } = value;
  if (typeof type !== "string" || typeof key !== "string") return null;
  return {
    type,
    key,
    args: args ?? null,
    ...(state !== undefined && { state }),
    done: isList(done) ? done.filter((one) => typeof one === "string") : [],
    createdAt: typeof createdAt === "number" ? createdAt : 0,
    updatedAt: typeof updatedAt === "number" ? updatedAt : 0,
  };
}
