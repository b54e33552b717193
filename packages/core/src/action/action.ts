import type { JsonObject, JsonValue } from "../json.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { DeliveryKind } from "../outbox/delivery.ts";
import type { Room } from "../room/room.ts";
import type { State } from "../state/provider.ts";
import type { RoomRow } from "../store/store.ts";
import type { HandedMessage, HandledMessage } from "./handed-message.ts";
import type { ActionParameter } from "./parameter.ts";
import type { ActionPolicy } from "./policy.ts";

/** What an action's execution came to. `success: false` goes with `error`, a sentence the model is shown. */
export type ActionResult = {
  readonly success: boolean;
  /** Told to the room, or to the model when the run goes on. */
  readonly text?: string;
  /** Merged into the state's values for later actions of the run. */
  readonly values?: JsonObject;
  /** Kept with the result. */
  readonly data?: JsonValue;
  readonly error?: string;
  /** False ends the chain: later actions of the same answer do not run. */
  readonly continueChain?: boolean;
  /** Called once when the run is over, whatever happened. Not kept. */
  readonly cleanup?: () => void | Promise<void>;
};

/** A result with the name of its action. */
export type NamedResult = { readonly action: string; readonly result: ActionResult };

/** What can be done to a message or a person besides talking. */
export type SocialKind = Exclude<DeliveryKind, "message" | "quote">;

/** Whom or what a delivery is about; with a `text`, what is said to it. */
export type DeliveryTarget = { readonly platformId: string; readonly text?: string };

/** The room a run is in. */
export type Whereabouts = {
  /** With how the agent stands in it, and its world. */
  readonly room: RoomRow;
  /** What its client can deliver besides messages. */
  readonly social: readonly DeliveryKind[];
};

/** What an action is called with. */
export type ActionCall = Whereabouts & {
  readonly callId: string;
  readonly runId: string;
  /** Checked against the action's parameters, defaults filled in. */
  readonly parameters: JsonObject;
  /** The newest of the messages being answered. */
  readonly message: Memory;
  /** The state of the step, with the values of earlier results. */
  readonly state: State;
  /** What the answer says itself, as it will be remembered. */
  readonly responses: readonly Memory[];
  /** Upper-case keywords of the answer. */
  readonly keywords: readonly string[];
  /** A person asked for it by name, and no model: what it says is all that is heard. */
  readonly isCommand?: boolean;
  /** Results of the actions of this run so far, oldest first. */
  readonly previousResults: readonly NamedResult[];
  /**
   * Delivers an intermediate message through the outbox, to this room or another; resolves with what is remembered of it.
   * @throws TroupeError when the platform refused it, or is not connected.
   */
  say(content: Content, room?: Room): Promise<readonly Memory[]>;
  /**
   * Does something to a message or a person on the platform: a delivery like text, whose receipt is the result. With a text:
   * answers the message (`message`) or quotes it (`quote`).
   */
  deliver(kind: DeliveryKind, target?: DeliveryTarget): Promise<ActionResult>;
  /** Streams words to the room; all chunks of one call become one message, complete when the action ends. */
  stream(chunk: string): void;
  /** Runs further actions within this one; each is checked as usual. Bounded in depth, no circles. */
  act(calls: readonly { readonly name: string; readonly parameters?: JsonObject }[]): Promise<readonly ActionResult[]>;
  /**
   * Hands a message to the agent and resolves with what became of it: in a run within this one, which ends with the call.
   * `key` tells it from the others of the call. Its actions count as run within this one.
   */
  handle(message: HandedMessage & { readonly key: string }): Promise<HandledMessage>;
  /** Aborted when the action's time is over or the run is called off. */
  readonly signal: AbortSignal;
};

/** Whether an action makes sense now; `reason` is shown to the model when it asked for it all the same. */
export type Verdict = { readonly pass: boolean; readonly reason?: string };

/** What `validate` looks at. */
export type Occasion = Whereabouts & { readonly message: Memory; readonly state: State; readonly signal: AbortSignal };

/**
 * What an action does to the run itself rather than to the world; such actions need no handler.
 * `reply`, `none`: the text is sent as it is. `ignore`: the text is not sent and nothing follows. `stop`: like `ignore`, and
 * the agent is silent in the room until it is addressed. `continue`: the model is asked once more after this answer. `quote`:
 * the text is sent as a quotation of the message, or as an answer to it where the platform cannot quote.
 */
export type ActionControl = "reply" | "quote" | "none" | "ignore" | "stop" | "continue";

/** An action as the engine runs it: bound to everything its handler needs. */
export type RegisteredAction = {
  /** Letters, digits, `_`, `-`, spaces; upper case. */
  readonly name: string;
  readonly description: string;
  readonly similes: readonly string[];
  readonly parameters?: readonly ActionParameter[];
  /** Higher stands earlier in the prompt; 0 when absent. */
  readonly priority?: number;
  /** By which characters choose what is offered. */
  readonly tags?: readonly string[];
  readonly policy?: ActionPolicy;
  /** People may ask for it by name, without the model: by its own name in lower case, or by this one (1..32 of `[a-z0-9_-]`). */
  readonly command?: boolean | string;
} & (
  | {
      readonly control: ActionControl;
      /** The action that does the same to another message, when it is called with the parameters `message` and `text`. */
      readonly elsewhere?: string;
    }
  | {
      /** Asked for the prompt, and again before it runs; absent: always. */
      readonly validate?: (occasion: Occasion) => Promise<Verdict>;
      readonly run: (call: ActionCall) => Promise<ActionResult>;
      /** What the room is told when the last try failed with this error, if its handler told nobody; undefined: nothing. */
      readonly describeFailure?: (error: unknown) => string | undefined;
      /** Undoes what it did, when a later action that depends on it fails. */
      readonly rollback?: (
        call: Pick<ActionCall, "message" | "parameters" | "signal">,
        result: ActionResult,
      ) => Promise<void>;
    }
);
