import type { RegisteredAction } from "../action/action.ts";
import type { Character } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import type { Events } from "../event/event.ts";
import type { PlatformChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JobHandler } from "../job/job-handler.ts";
import type { Log } from "../log.ts";
import type { Models } from "../model/models.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import type { Planning } from "../task/planning.ts";

/** The parts of an agent that a capability may build on. */
export type CapabilityParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly store: Store;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly events: Events;
  /** The models in use now. */
  readonly models: () => Models;
  /** Accepts an input as if a platform had told it: durable when it resolves, the same event id a second time is nothing. */
  readonly receive: (inbound: Inbound) => Promise<void>;
  /** A job was put and committed, and may be due. */
  readonly wakeJobs: () => void;
};

/** Something every agent of a house can do: the engine's own plugin, in bound form. Every member but the name may be absent. */
export type Capability = {
  readonly name: string;
  readonly actions?: readonly RegisteredAction[];
  readonly providers?: readonly RegisteredProvider[];
  readonly evaluators?: readonly RegisteredEvaluator[];
  /** Who does its jobs, by kind. */
  readonly jobs?: Readonly<Record<string, JobHandler>>;
  /** What plugins and commands plan with; of several capabilities that have it the first counts. */
  readonly planning?: Planning;
  /**
   * What else is written, in the same transaction, when something changed on a platform; asked while the store is still as it was
   * before. One that fails is logged, and the change is taken all the same.
   */
  readonly onChange?: (change: PlatformChange) => Promise<readonly Write[]>;
  /** Begins what goes on beside the rooms. Resolves soon: an agent hears only after it. */
  readonly start?: () => Promise<void> | void;
  /** Ends it within `graceMs`; what was under way goes on at the next start. */
  readonly stop?: (graceMs: number) => Promise<void> | void;
};

/** Makes a capability for one agent; nothing is read or begun before its `start`. */
export type CreateCapability = (parts: CapabilityParts) => Promise<Capability> | Capability;
