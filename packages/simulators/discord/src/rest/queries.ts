import type { WireRequest } from "@troupe/simulator-wire";
import { createFormErrors } from "../errors.ts";
import { type Form, readForm } from "../form.ts";

/** Reads the query with the same care as a body; call `check` when all is read. */
export function readQuery(request: WireRequest): Form & { check(): void } {
  const errors = createFormErrors();
  return { ...readForm(Object.fromEntries(request.query), errors), check: () => errors.check() };
}
