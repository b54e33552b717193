import type { JsonObject, JsonValue } from "../json.ts";
import type { FinishReason } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { DeliveryKind, DeliveryState } from "../outbox/delivery.ts";

/** Hash of a content-addressed part: 32 hexadecimal digits of the text's SHA-256. */
export type PartHash = string;

/** Whether the agent speaks: `respond`; `ignore`: not this time; `stop`: not until it is addressed again. */
export type DecisionKind = "respond" | "ignore" | "stop";

/** Why an action was not begun. */
export type ActionRefusal =
  | "unknown"
  | "parameters"
  | "dependency"
  | "filtered"
  | "validate"
  | "rate-limit"
  | "lock"
  | "depth"
  | "circle"
  | "cut-off"
  | "chain-ended"
  | "interrupted"
  | "reference"
  | "unreadable";

/** How a run ended. `answered` covers answers by action alone; `uncertain`: nobody can know whether the answer arrived. */
export type RunOutcome = "answered" | "ignored" | "failed" | "uncertain" | "aborted";

/** What an entry says. One shape per `type`; texts stand in parts, named by their hash. */
export type EntryBody =
  /** The run begins with these inputs; where it works in steps, further ones join it before a step. */
  | { readonly type: "input"; readonly inputs: readonly { readonly seq: number; readonly memoryId: string }[] }
  | {
      readonly type: "decision";
      readonly decision: DecisionKind;
      /** Stable name of the rule, e.g. `direct-message`; `model` when the model was asked. */
      readonly rule: string;
      /** One sentence for people. */
      readonly reason: string;
      /** The command that is run by its name instead of asking the model. */
      readonly command?: string;
      /** The run thinks in steps; absent: one answer. */
      readonly mode?: "steps";
    }
  /** Providers composed a state; a late or failed one is named with why it is missing. */
  | {
      readonly type: "state";
      readonly step: number;
      readonly providers: readonly { readonly name: string; readonly failed?: string }[];
      /** Actions that may not be used here, with why. */
      readonly withheld?: readonly { readonly reason: string; readonly actions: readonly string[] }[];
    }
  | {
      readonly type: "prompt";
      readonly step: number;
      /** What the call is for: an answer, a decision, or a second attempt after an unreadable answer. */
      readonly purpose: "answer" | "decision" | "retry";
      readonly model: string;
      readonly parts: readonly { readonly role: "system" | "user" | "assistant"; readonly part: PartHash }[];
    }
  | {
      readonly type: "model_answer";
      readonly step: number;
      readonly purpose: "answer" | "decision" | "retry";
      readonly part: PartHash;
      readonly finishReason: FinishReason;
      /** False when nothing could be made of it and the model is asked again. */
      readonly isUsable: boolean;
      /** In steps: it broke off, or a part of it could not be read; what it was shown stays news. */
      readonly isCut?: true;
      readonly model: string;
      readonly usage: Usage;
      readonly costMicrousd?: number;
      readonly notes?: readonly JsonValue[];
      /** Names of the providers it asked for, to be composed in one more step. */
      readonly providers?: readonly string[];
    }
  /** A plugin asked a model on the run's account, within the call that is named when it was one. */
  | {
      readonly type: "model_used";
      readonly plugin: string;
      readonly callId?: string;
      readonly model: string;
      readonly usage: Usage;
      readonly costMicrousd?: number;
    }
  /** Somebody looked at the answer before it was sent. */
  | {
      readonly type: "review";
      readonly step: number;
      readonly evaluator: string;
      readonly verdict: "amend" | "veto";
      readonly reason?: string;
    }
  | {
      readonly type: "action_call";
      /** `step.n`; within another action, that one's id and `.n`. */
      readonly callId: string;
      /** The call whose handler asked for it, when it was not the model. */
      readonly parentCallId?: string;
      readonly name: string;
      readonly parameters?: JsonObject;
      /** How the model asked for it, or that a person did; `output`: it is an output other than the message. */
      readonly origin: "named" | "keyword" | "command" | "output";
      /** The keywords of the same answer, upper case; absent when it had none. */
      readonly keywords?: readonly string[];
    }
  | { readonly type: "action_started"; readonly callId: string }
  /** The call handed a message to the agent, which is answered in a run of its own within this one. */
  | {
      readonly type: "child_run";
      readonly callId: string;
      readonly childRunId: string;
      readonly contextId: string;
      readonly memoryId: string;
    }
  | {
      readonly type: "action_result";
      readonly callId: string;
      readonly success: boolean;
      readonly text?: string;
      readonly data?: JsonValue;
      readonly error?: string;
      /** Merged into the state for later actions of the run. */
      readonly values?: JsonObject;
      /** Later calls of the same answer do not run. */
      readonly endsChain?: true;
      /** Why it was not begun: what the model may mend once, or what nobody can. */
      readonly refused?: ActionRefusal;
      /** How often it was tried, when more than once. */
      readonly attempts?: number;
    }
  /** What an earlier action had done was undone, because a later one that depends on it failed. */
  | { readonly type: "action_rolled_back"; readonly callId: string; readonly success: boolean; readonly error?: string }
  /** The text or effect of a call is to be delivered as these deliveries, in order. */
  | {
      readonly type: "output";
      readonly callId: string;
      readonly kind: DeliveryKind;
      readonly deliveries: readonly string[];
      /** Every piece of the output is known: nothing more will be added. */
      readonly isFinal: boolean;
    }
  /** In steps: the process ended while the model spoke; what it had asked for by then is all of this step. */
  | { readonly type: "step_cut"; readonly step: number }
  /** In steps: what the contexts' hooks say to another step; absent where they leave it to the news. */
  | { readonly type: "step_verdict"; readonly step: number; readonly goesOn: boolean }
  /** What became of a delivery. */
  | {
      readonly type: "receipt";
      readonly key: string;
      readonly state: DeliveryState;
      readonly platformId?: string;
      readonly error?: string;
      /** It was begun while the answer was still coming, and the answer turned out to be silence. */
      readonly isWithdrawn?: true;
    }
  /** Something went wrong that did not end the run. */
  | { readonly type: "error"; readonly where: string; readonly code: string; readonly message: string }
  /** The run is over. */
  | { readonly type: "end"; readonly outcome: RunOutcome; readonly reason?: string };

/** One line of the journal: append-only, ordered by `seq` within `agentId` and `contextId` (a room, or a context). */
export type Entry = {
  readonly seq: number;
  readonly runId: string;
  readonly at: number;
  readonly body: EntryBody;
};

/** A text the journal refers to. A forgotten one keeps its hash and loses its text. */
export type Part = { readonly hash: PartHash; readonly text: string };
