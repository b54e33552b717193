import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Usage } from "../model/model.ts";
import type { DecisionKind, RunOutcome } from "../run/entry.ts";

/** What happens in an agent, told after it is true. A run that started always ends, or is parked for the next start. */
export type AgentEvent = { readonly runId: string; readonly roomId: string } & (
  | { readonly type: "RUN_STARTED"; readonly memoryIds: readonly string[]; readonly isResumed: boolean }
  | { readonly type: "RUN_DECIDED"; readonly decision: DecisionKind; readonly rule: string; readonly reason: string }
  | { readonly type: "MODEL_USED"; readonly model: string; readonly usage: Usage; readonly costMicrousd?: number }
  | { readonly type: "ACTION_STARTED"; readonly callId: string; readonly action: string }
  | { readonly type: "ACTION_COMPLETED"; readonly callId: string; readonly action: string; readonly success: boolean }
  | { readonly type: "MESSAGE_SENT"; readonly key: string; readonly memoryId: string }
  | { readonly type: "RUN_TIMEOUT"; readonly timeoutMs: number }
  /** It goes on later: at the next start, or, with a reason, once what is in its way is mended. */
  | { readonly type: "RUN_PARKED"; readonly reason?: string }
  | {
      readonly type: "RUN_ENDED";
      readonly outcome: RunOutcome;
      readonly reason?: string;
      readonly memoryIds: readonly string[];
      readonly durationMs: number;
    }
);

/** Hears every event, in the order they became true. A throwing listener harms nobody. */
export type Listener = (event: AgentEvent) => void;

/** Tells events to whoever listens. */
export type Events = {
  emit(event: AgentEvent): void;
  /** Returns the function that ends the listening. */
  on(listener: Listener): () => void;
};

/** Events of one agent. */
export function createEvents(log: Log): Events {
  const listeners = new Set<Listener>();
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          log.error({ event: event.type, error: errorMessage(error) }, "a listener threw; the others go on");
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
