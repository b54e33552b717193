import type { RegisteredAction } from "../action/action.ts";
import type { CreateCapability } from "../capability/capability.ts";
import type { Character } from "../character/character.ts";
import type { Client } from "../client/client.ts";
import type { Clock } from "../clock.ts";
import type { BroughtContexts } from "../context/context-definitions.ts";
import type { Log } from "../log.ts";
import type { Models } from "../model/models.ts";
import type { RegisteredEvaluator } from "../plugin/bind-evaluator.ts";
import type { Plugin } from "../plugin/plugin.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import type { RunDefaults } from "./run-settings.ts";

/** What an agent is made of. Everything it needs comes in here; two agents share only what they are both given. */
export type AgentParts = {
  readonly character: Character;
  readonly store: Store;
  readonly models: Models;
  readonly clients: readonly Client[];
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Log;
  /** What it can do beside talking: recall, facts, tasks … made and begun at `start`, in this order, before the plugins. */
  readonly capabilities?: readonly CreateCapability[];
  /** Installed at `start`, in the order of their dependencies; their services stop with the agent. */
  readonly plugins?: readonly Plugin[];
  /** Where plugins' settings are looked for after the character's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Bound components beside the built-in ones, for programs that need no plugin. */
  readonly actions?: readonly RegisteredAction[];
  readonly providers?: readonly RegisteredProvider[];
  readonly evaluators?: readonly RegisteredEvaluator[];
  /** Contexts beside the rooms, with further inputs and outputs; see docs/contexts.md. */
  readonly contexts?: BroughtContexts;
  /** Ids for what plugins write outside any run; random when absent. */
  readonly newId?: () => string;
  /** Names this process among those that may hold a context; unique per process start. */
  readonly owner: string;
  readonly defaults?: RunDefaults;
};
