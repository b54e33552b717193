import { ConfigError, errorMessage, TroupeError } from "@troupe/core/errors";

/** What to tell about something a command threw, and what the process ends with. */
export function describeFailure(error: unknown, withStack: boolean): { readonly text: string; readonly code: number } {
  const isKnown = error instanceof TroupeError;
  const stack = withStack && error instanceof Error ? `\n${error.stack}` : "";
  const hint = isKnown || withStack ? "" : " (a defect; --log-level debug shows where)";
  const code = error instanceof ConfigError && error.code === "invalid" ? 2 : 1;
  return { text: `troupe: ${errorMessage(error)}${hint}${stack}`, code };
}
