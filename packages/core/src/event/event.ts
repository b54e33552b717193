import { errorMessage } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { Usage } from "../model/usage.ts";
import type { DecisionKind, RunOutcome } from "../run/entry.ts";

type AboutRun = { readonly runId: string; readonly roomId: string };
type AboutRoom = { readonly roomId: string };
/** `roomId` is empty when it is about a whole world. */
type AboutPlace = { readonly roomId: string; readonly worldId?: string };

/**
 * What happens in an agent, told after it is true. A run that started always ends, or is parked for the next start. What was
 * heard has no run yet, for several messages may share one: RUN_STARTED names them.
 */
export type AgentEvent =
  /** A message or a command was accepted; it is durable. */
  | ({ readonly type: "MESSAGE_RECEIVED"; readonly memoryId: string; readonly entityId: string } & AboutRoom)
  | ({ readonly type: "MESSAGE_EDITED"; readonly memoryId: string } & AboutRoom)
  | ({ readonly type: "MESSAGE_REMOVED"; readonly memoryId: string } & AboutRoom)
  /** `memoryId` is the message that was reacted to. */
  | ({
      readonly type: "REACTION_RECEIVED";
      readonly entityId: string;
      readonly memoryId: string;
      readonly emoji: string;
      /** False: it was taken back. */
      readonly isAdded: boolean;
    } & AboutRoom)
  /** The agent came into a room or world, or heard something in a room for the first time. */
  | ({ readonly type: "ROOM_JOINED" } & AboutPlace)
  | ({ readonly type: "ROOM_LEFT" } & AboutPlace)
  | ({ readonly type: "ENTITY_JOINED"; readonly entityId: string } & AboutPlace)
  | ({ readonly type: "ENTITY_LEFT"; readonly entityId: string } & AboutPlace)
  | ({
      readonly type: "RUN_STARTED";
      readonly memoryIds: readonly string[];
      readonly isResumed: boolean;
    } & AboutRun)
  | ({
      readonly type: "RUN_DECIDED";
      readonly decision: DecisionKind;
      readonly rule: string;
      readonly reason: string;
    } & AboutRun)
  /** A model was paid for: by the engine, or by a plugin, which is named; outside any run there is no run to name. */
  | ({
      readonly type: "MODEL_USED";
      readonly model: string;
      readonly usage: Usage;
      readonly costMicrousd?: number;
      readonly plugin?: string;
    } & { readonly runId?: string; readonly roomId?: string })
  | ({ readonly type: "ACTION_STARTED"; readonly callId: string; readonly action: string } & AboutRun)
  | ({
      readonly type: "ACTION_COMPLETED";
      readonly callId: string;
      readonly action: string;
      readonly success: boolean;
    } & AboutRun)
  /** Something of what the character knows was read, anew or for the first time. */
  | { readonly type: "KNOWLEDGE_READ" }
  | ({ readonly type: "MESSAGE_SENT"; readonly key: string; readonly memoryId: string } & AboutRun)
  | ({ readonly type: "RUN_TIMEOUT"; readonly timeoutMs: number } & AboutRun)
  /** It goes on later: at the next start, or, with a reason, once what is in its way is mended. */
  | ({ readonly type: "RUN_PARKED"; readonly reason?: string } & AboutRun)
  | ({
      readonly type: "RUN_ENDED";
      readonly outcome: RunOutcome;
      readonly reason?: string;
      readonly memoryIds: readonly string[];
      readonly durationMs: number;
    } & AboutRun)
  /** An evaluator looks at a run that is over; it may be tried again, and each time is told. */
  | ({ readonly type: "EVALUATOR_STARTED"; readonly evaluator: string } & AboutRun)
  | ({
      readonly type: "EVALUATOR_COMPLETED";
      readonly evaluator: string;
      readonly success: boolean;
      readonly error?: string;
    } & AboutRun)
  /** What a plugin tells others of its own; `name` is the plugin's to choose, and `data` is its promise to whoever listens. */
  | {
      readonly type: "PLUGIN_EVENT";
      readonly plugin: string;
      readonly name: string;
      readonly data: JsonObject;
      readonly runId?: string;
      readonly roomId?: string;
    };

/** What an event can be. */
export type AgentEventType = AgentEvent["type"];

/** Every event there is. */
export const eventTypes: Readonly<Record<AgentEventType, true>> = {
  MESSAGE_RECEIVED: true,
  MESSAGE_EDITED: true,
  MESSAGE_REMOVED: true,
  REACTION_RECEIVED: true,
  ROOM_JOINED: true,
  ROOM_LEFT: true,
  ENTITY_JOINED: true,
  ENTITY_LEFT: true,
  RUN_STARTED: true,
  RUN_DECIDED: true,
  MODEL_USED: true,
  ACTION_STARTED: true,
  ACTION_COMPLETED: true,
  KNOWLEDGE_READ: true,
  MESSAGE_SENT: true,
  RUN_TIMEOUT: true,
  RUN_PARKED: true,
  RUN_ENDED: true,
  EVALUATOR_STARTED: true,
  EVALUATOR_COMPLETED: true,
  PLUGIN_EVENT: true,
};

/** Hears every event, in the order they became true. A throwing or rejecting listener harms nobody; nobody waits for it. */
export type Listener = (event: AgentEvent) => unknown;

/** Tells events to whoever listens. */
export type Events = {
  emit(event: AgentEvent): void;
  /** Returns the function that ends the listening. */
  on(listener: Listener): () => void;
};

/** Events of one agent. */
export function createEvents(log: Log): Events {
  const listeners = new Set<Listener>();
  const blame = (event: AgentEvent, error: unknown): void =>
    log.error({ event: event.type, error: errorMessage(error) }, "a listener threw; the others go on");
  return {
    emit(event) {
      for (const listener of listeners) {
        try {
          const work = listener(event);
          if (work instanceof Promise) work.catch((error: unknown) => blame(event, error));
        } catch (error) {
          blame(event, error);
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
