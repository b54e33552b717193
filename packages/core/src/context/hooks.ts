import type { Clock } from "../clock.ts";
import { errorMessage, isAbort, TroupeError } from "../errors.ts";
import type { Log } from "../log.ts";
import { withinDeadline } from "../plugin/deadline.ts";
import type { ContextDefinition, ContextPlace } from "./context-definition.ts";
import type { ContextFrame, StepFailure } from "./context-frame.ts";
import type { Ctx } from "./scoped.ts";

/** The hooks of a frame, and whom they are called for: its own context first. */
export type Hooked = {
  readonly place: ContextPlace;
  readonly definition: ContextDefinition;
  ctx(operation?: string): Ctx;
};

type HookName = "onStep" | "onRun" | "shouldContinue" | "onError";

/** How long one hook may take. */
const hookTimeoutMs = 10_000;
/** Further tries of one step at most, whatever onError says. */
const mostRetries = 5;
const firstWaitMs = 500;
const longestWaitMs = 30_000;

/** Calls the hooks of all contexts of a frame, in their order; one that throws or is late is logged, and the others are called. */
export function createHooks(
  contexts: readonly Hooked[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Pick<ContextFrame, HookName | "hasHooks"> {
  const call = async (
    hook: HookName,
    about: string,
    ask: (hooked: Hooked, ctx: Ctx) => unknown,
  ): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const hooked of contexts) {
      if (!hooked.definition[hook]) continue;
      const { id, type } = hooked.place;
      try {
        const work = (): unknown => ask(hooked, hooked.ctx(`${about}/${hook}`));
        answers.push(await withinDeadline(work, { clock, timeoutMs: hookTimeoutMs, what: `${hook} of ${type}` }));
      } catch (error) {
        log.warn({ contextId: id, type, hook, error: errorMessage(error) }, "a context's hook failed; the run goes on");
      }
    }
    return answers;
  };
  return {
    hasHooks: contexts.some(({ definition: { onStep, onRun, shouldContinue } }) => onStep || onRun || shouldContinue),
    async onStep(report) {
      await call("onStep", `${report.runId}/${report.step}`, ({ definition }, ctx) => definition.onStep?.(report, ctx));
    },
    async onRun(report) {
      await call("onRun", report.runId, ({ definition }, ctx) => definition.onRun?.(report, ctx));
    },
    async shouldContinue(report) {
      const about = `${report.runId}/${report.step}`;
      const answers = await call("shouldContinue", about, ({ definition }, ctx) =>
        definition.shouldContinue?.(report, ctx),
      );
      if (answers.includes(false)) return false;
      return answers.includes(true) ? true : null;
    },
    async onError(failure) {
      if (!mayRetry(failure)) return null;
      const about = `${failure.runId}/${failure.step}/${failure.attempt}`;
      const answers = await call("onError", about, ({ definition }, ctx) => definition.onError?.(failure, ctx));
      const decided = answers.find((answer) => answer === "retry" || answer === "fail");
      return decided === "retry" ? { retryInMs: waitMs(failure) } : null;
    },
  };
}

function mayRetry({ error, attempt }: StepFailure): boolean {
  return attempt <= mostRetries && !isAbort(error);
}

/** No hot loop: each wait is twice the one before, and as long as whoever failed asks for. */
function waitMs({ error, attempt }: StepFailure): number {
  const askedMs = error instanceof TroupeError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(askedMs, Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1)));
}
