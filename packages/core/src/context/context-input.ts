import type { AgentEvent, AgentEventType } from "../event/event.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonValue } from "../json.ts";
import type { CatchUp } from "../store/tasks.ts";
import type { DraftSchedule } from "../task/task-draft.ts";
import type { Kept } from "./scoped.ts";

/** Who gave an input, as its source knows them: the same id is the same person. */
export type InputSender = { readonly id: string; readonly name: string };

/** What a source hands over. Resolves once it is durable; the same `eventId` again changes nothing. */
export type SendInput = (given: {
  readonly args: unknown;
  readonly value: unknown;
  /** Tells this input from all others of its kind; without one it is new each time. */
  readonly eventId?: string;
  readonly from?: InputSender;
}) => Promise<void>;

/** Where an input comes from. */
export type InputSource =
  /** A subscription of its own: begun with the agent, ended by the signal, begun again with growing waits when it fails. */
  | { readonly type: "subscription"; subscribe(send: SendInput, signal: AbortSignal): Promise<void> | void }
  /** What clients hear: whatever `args` gives arguments for goes to this context instead of the room's own. */
  | { readonly type: "messages"; args(inbound: Inbound): unknown }
  /** A task of the agent's own: exactly once a turn, also over restarts. */
  | {
      readonly type: "schedule";
      readonly schedule: DraftSchedule;
      readonly catchUp?: CatchUp;
      readonly args: unknown;
      readonly value: unknown;
    }
  /** POST to `/contexts/<type>/<path>`; answered 202 once the input is durable. */
  | {
      readonly type: "webhook";
      readonly path: string;
      /** Who may send: a throwing or false one is answered 401. */
      verify(request: WebhookRequest): Promise<boolean> | boolean;
      read(request: WebhookRequest): Parameters<SendInput>[0] | null;
    }
  /** Something that happened in the agent; null is passed over. */
  | {
      readonly type: "event";
      readonly event: AgentEventType;
      read(event: AgentEvent): Parameters<SendInput>[0] | null;
    };

/** A webhook's request: its body was read, as JSON where it is some. */
export type WebhookRequest = {
  readonly headers: Headers;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly body: JsonValue;
};

/** An input of a context, its types inside its functions. Made by `contextInput`. */
export type ContextInput = {
  readonly name: string;
  /** Checks what came. */
  read(value: unknown): Kept;
  /** The words the model is shown. */
  format(value: JsonValue): string;
  readonly sources: readonly InputSource[];
};
