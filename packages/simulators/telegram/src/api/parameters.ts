import type { WireRequest } from "@troupe/simulator-wire";
import { badRequest } from "../api-error.ts";

/** What a request says, however it was sent. */
export type Parameters = {
  /** Text; numbers and flags as they are written. Null when absent. */
  text(name: string): string | null;
  /** A whole number, also from text; null when absent or none. */
  integer(name: string): number | null;
  /** Any number; null when absent or none. */
  number(name: string): number | null;
  /** A flag; false when absent. */
  flag(name: string): boolean;
  /** JSON, also from text; undefined when absent. @throws ApiError when it is no JSON. */
  json(name: string): unknown;
};

/** Reads parameters from the query, a form, or a JSON body; the body wins. */
export function readParameters({ query, body }: Pick<WireRequest, "query" | "body">): Parameters {
  const isRecord = typeof body === "object" && body !== null && !Array.isArray(body);
  const fields = new Map<string, unknown>([...query.entries(), ...(isRecord ? Object.entries(body) : [])]);
  return parametersOf(fields);
}

/** Parameters that are there already. */
export function parametersOf(fields: ReadonlyMap<string, unknown>): Parameters {
  const text = (name: string): string | null => {
    const value = fields.get(name);
    if (value === undefined || value === null) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  const number = (name: string): number | null => {
    const written = text(name)?.trim() ?? "";
    const value = Number(written);
    return written === "" || !Number.isFinite(value) ? null : value;
  };
  return {
    text,
    number,
    integer(name) {
      const value = number(name);
      return Number.isSafeInteger(value) ? value : null;
    },
    flag: (name) => ["true", "1", "yes", "t", "y"].includes(text(name)?.trim().toLowerCase() ?? ""),
    json(name) {
      const value = fields.get(name);
      if (value === null || value === "") return undefined;
      if (typeof value !== "string") return value;
      try {
        return JSON.parse(value) as unknown;
      } catch {
        throw badRequest(`can't parse ${name.replaceAll("_", " ")} JSON object`);
      }
    },
  };
}

/** The fields of a JSON object. @throws ApiError when it is none. */
export function asRecord(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest(`can't parse ${name}: expected an Object`);
  }
  // A plain object that came from JSON.
  return value as Record<string, unknown>;
}
