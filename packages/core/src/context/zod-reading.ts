import type { z } from "zod";
import { toPlainJson } from "./plain-json.ts";
import type { Checked, Kept } from "./scoped.ts";

/** Problems told at most. */
const mostTold = 8;

/** What zod found wrong, as one sentence. */
export function problemText(error: z.core.$ZodError): string {
  const told = error.issues.slice(0, mostTold).map(({ path, message }) => {
    const place = path.map((piece) => (typeof piece === "number" ? `[${piece}]` : `.${String(piece)}`)).join("");
    return place === "" ? message : `${place.replace(/^\./u, "")}: ${message}`;
  });
  const more = error.issues.length - told.length;
  return told.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** Reads a value that is to be kept: by its schema, then as plain JSON. The schema must not be asynchronous. */
export function readKept(schema: z.ZodType, value: unknown): Kept {
  const read = schema.safeParse(value);
  return read.success ? toPlainJson(read.data) : { ok: false, problem: problemText(read.error) };
}

/** Reads a value that is handed on as it is. */
export async function readValue(schema: z.ZodType, value: unknown): Promise<Checked<unknown>> {
  const read = await schema.safeParseAsync(value);
  return read.success ? { ok: true, value: read.data } : { ok: false, problem: problemText(read.error) };
}

/** Whether something is a zod schema, for what is written without types. */
export function isSchema(value: unknown): value is z.ZodType {
  return (
    typeof value === "object" &&
    value !== null &&
    "safeParse" in value &&
    typeof value.safeParse === "function" &&
    "_zod" in value
  );
}
