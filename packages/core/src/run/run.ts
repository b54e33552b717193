import type { RegisteredAction } from "../action/action.ts";
import type { ActionFilter, Withheld } from "../action/action-filter.ts";
import type { ActionTools } from "../action/action-tools.ts";
import type { Within } from "../action/executable-call.ts";
import type { Locks } from "../action/locks.ts";
import type { RateLimits } from "../action/rate-limits.ts";
import type { Character, PlatformSettings } from "../character/character.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import type { ContextSource, OpenContext, RunExtras } from "../context/context-frame.ts";
import type { Events } from "../event/event.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import type { Models } from "../model/models.ts";
import type { DeliveryStart, OnUnknown } from "../outbox/deliver.ts";
import type { TargetQueues } from "../outbox/target-queues.ts";
import type { OpenRuns } from "../plugin/open-runs.ts";
import type { Registry } from "../plugin/registry.ts";
import type { ResponseFormat } from "../prompt/answer-format.ts";
import type { HistoryBudget } from "../prompt/history.ts";
import type { State } from "../state/provider.ts";
import type { Lease, RoomRow, Store } from "../store/store.ts";
import type { WorldRules } from "../world/world-rules.ts";
import type { ActionFilters } from "./action-filters.ts";
import type { Messages } from "./hand-messages.ts";
import type { PartIndex, Recorder } from "./recorder.ts";
import type { ContextFeed } from "./steps/context-feed.ts";
import type { StepFrame } from "./steps/step-frame.ts";
import type { WorkingMemory } from "./steps/working-memory.ts";

/** How a run works: one answer, or a loop of steps. */
export type Mode = "reply" | "steps";

/** How an agent's runs behave; from the character's settings, with the defaults filled in. */
export type RunSettings = {
  readonly mode: Mode;
  readonly format: ResponseFormat;
  /** A run that takes longer fails visibly. */
  readonly runTimeoutMs: number;
  readonly history: HistoryBudget;
  readonly onUnknown: OnUnknown;
  /** A delivery that could not be made for this long is given up. */
  readonly deliveryMaxAgeMs: number;
  /** An input on which the process died this often is given up. */
  readonly maxAttempts: number;
  /** Steps whose results the model may be shown again; 1: results are told to the room. */
  readonly maxSteps: number;
  /** False: only the first action of an answer runs. */
  readonly actionPlanning: boolean;
  readonly temperature?: number;
  readonly maxTokens?: number;
};

/** Where runs in steps find their contexts. */
export type RunContexts = {
  source(): Promise<ContextSource>;
  /** What a run of these inputs (their memories) was given beside its context. */
  extrasOf(memoryIds: readonly string[]): RunExtras | undefined;
  /** Aborted when whoever gave one of the inputs calls its run off. */
  signalsOf(memoryIds: readonly string[]): readonly AbortSignal[];
};

/** The parts an agent's runs are made with; the same for all of them. */
export type RunParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly settings: RunSettings;
  /** The same parts for runs that work so. */
  readonly inMode: (mode: Mode) => RunParts;
  /** Whether neighbouring messages are joined on the platform of any client. */
  readonly mayCoalesce: boolean;
  /** What is asked for an answer, and for small things. */
  readonly models: () => Models;
  /** Actions, providers and evaluators, as they are registered now. */
  readonly registry: Registry;
  /** This run among them, while it is under way. */
  readonly openRuns: OpenRuns;
  /** Actions as native tools, where the character answers so; the same list gives the same object. */
  readonly tools: (actions: readonly RegisteredAction[]) => ActionTools | null;
  readonly actionFilters: ActionFilters;
  /** What the room's server says about how the agent listens there. */
  readonly worldRules: (room: RoomRow) => Promise<WorldRules>;
  readonly messages: () => Pick<Messages, "handle" | "handOver">;
  /** The connected client of a room, or null when none is configured for it now. */
  readonly clientFor: (platform: string, account: string) => Client | null;
  readonly store: Pick<Store, "inbox" | "journal" | "memories" | "rooms" | "outbox">;
  /** Something was put to be done later. */
  readonly wakeJobs: () => void;
  readonly locks: Locks;
  readonly rateLimits: RateLimits;
  readonly targets: TargetQueues;
  /** Told of a template's placeholder that nothing is known for. */
  readonly onMissing: (name: string) => void;
  readonly partIndex: PartIndex;
  readonly feed: ContextFeed;
  /** Drops every text that is only held in memory, because some of it was forgotten. */
  readonly clearTexts: () => void;
  /** What was done in a context's last runs in steps. */
  readonly workingMemory: WorkingMemory;
  /** The contexts of runs in steps; null for runs in one answer. */
  readonly contexts: RunContexts | null;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
};

/** The state of a step, and the actions that are offered in it. */
export type Composed = {
  readonly state: State;
  readonly offered: readonly RegisteredAction[];
  /** Those that are registered but may not be used here. */
  readonly withheld: readonly Withheld[];
};

/** A delivery this process has recorded, as `sending` or still as `pending`. */
export type FreshDelivery = { readonly start: DeliveryStart; readonly isPending: boolean };

/** One run under way. */
export type Run = {
  readonly parts: RunParts;
  readonly lease: Lease;
  readonly recorder: Recorder;
  readonly room: RoomRow;
  /** The action a name means here. */
  readonly resolveAction: (name: string) => RegisteredAction | null;
  /** Which actions may be used in the room. */
  readonly filter: ActionFilter;
  /** How it listens there: the server's settings over the character's. */
  readonly listening: PlatformSettings;
  readonly client: Client;
  /** The messages it answers, oldest first, at least one; in steps, further ones join. */
  readonly inputs: Memory[];
  /** The newest of them. */
  message: Memory;
  readonly isCommand: boolean;
  /** What was said before the inputs, oldest first. */
  readonly earlier: readonly Memory[];
  /** Deliveries this process recorded and has not sent yet; all others must be looked at as found. */
  readonly fresh: Map<string, FreshDelivery>;
  /** What this run has said so far, as it is remembered, oldest first. */
  readonly said: Memory[];
  /** What was composed for each step so far. */
  readonly composed: Map<number, Composed>;
  /** In steps: the run's context, once it is opened, and what it brings to the step the run is at. */
  context: OpenContext | null;
  framed: StepFrame | null;
  /** In steps: what goes on beside the run, by the call it belongs to. */
  readonly running: Map<string, Promise<void>>;
  /** In steps: the model's own words so far, by step. */
  readonly answers: Map<number, string>;
  /** In steps: those that are through, with their hooks. */
  readonly endedSteps: Set<number>;
  /** In steps: the inputs of which it was told that a step has covered them. */
  readonly covered: Set<string>;
  /** Called in this order when the run is over. */
  readonly cleanups: { readonly action: string; readonly cleanup: () => void | Promise<void> }[];
  /** Within which calls it takes place: {@link outermost} unless an action handed its message over. */
  readonly within: Within;
  /** Aborted when whoever handed its message over is called off. */
  readonly calledOff?: AbortSignal;
  /** Aborted when the agent stops, the run is called off or its time is over. */
  readonly signal: AbortSignal;
  /** Aborted only when the agent stops: what is being sent may take longer than a run. */
  readonly stopSignal: AbortSignal;
  readonly log: Log;
};
