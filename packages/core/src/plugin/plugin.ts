import type { OfferedChoice } from "../choice/choice.ts";
import type { ContextDefinition } from "../context/context-definition.ts";
import type { InputTo } from "../context/context-definitions.ts";
import type { ContextOutput } from "../context/scoped.ts";
import type { AgentEvent, AgentEventType } from "../event/event.ts";
import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory/memory.ts";
import type { Provided, State } from "../state/provider.ts";
import type { Task } from "../store/tasks.ts";
import type { TaskTurn } from "../task/task-worker.ts";
import type { WorldSetting } from "../world/world-setting.ts";
import type { Action, ExampleLine } from "./action-shape.ts";
import type { PluginMigration } from "./check-migrations.ts";
import type { ModelOffers } from "./offered-models.ts";
import type { Route } from "./route.ts";
import type { Runtime } from "./runtime.ts";

/** A source of context. */
export interface Provider {
  readonly name: string;
  get(runtime: Runtime, message: Memory, state: State): Promise<Provided> | Provided;
  readonly description?: string;
  /** Lower stands earlier; 0 when absent. */
  readonly position?: number;
  /** Composed only when the model or a caller asks for it by name. */
  readonly dynamic?: boolean;
  /** Composed only when a caller asks for it by name; the model is not told of it. */
  readonly private?: boolean;
  /** Its text is the same at every turn: it stands first, where vendors cache prompts. */
  readonly stable?: boolean;
  /** After this it is left out; 5,000 when absent. */
  readonly timeoutMs?: number;
}

/** What an evaluator looks at: an exchange that is over, or, before sending, an answer about to be given. */
export type Exchange = {
  readonly runId: string;
  readonly message: Memory;
  readonly state: State;
  /** What the agent said, or is about to say. */
  readonly responses: readonly Memory[];
};

/** What an evaluator before sending decides: let it go, say it differently, or not at all with the reason. */
export type Review =
  | { readonly verdict: "pass" }
  | { readonly verdict: "amend"; readonly text: string }
  | { readonly verdict: "veto"; readonly reason: string };

/** Looks at what was said: after delivery, outside the room's way; with `review`, before anything is sent or done. */
export interface Evaluator {
  readonly name: string;
  readonly description: string;
  readonly validate: (runtime: Runtime, exchange: Exchange) => Promise<boolean> | boolean;
  readonly handler: (runtime: Runtime, exchange: Exchange) => Promise<void> | void;
  readonly similes?: readonly string[];
  readonly examples?: readonly (readonly ExampleLine[])[];
  /** Runs after every exchange, also one in which the agent kept silent. */
  readonly alwaysRun?: boolean;
  /** Looks at an answer before it is sent; rooms with such an evaluator do not stream. */
  readonly review?: (runtime: Runtime, exchange: Exchange) => Promise<Review> | Review;
}

/** A long-lived part of a plugin. */
export interface Service {
  stop(): Promise<void> | void;
}

/** How a service is made: started in order, stopped in reverse, each with a deadline. */
export interface ServiceClass {
  readonly serviceType: string;
  start(runtime: Runtime): Promise<Service> | Service;
}

/** A plugin's listeners, each told of the events of its type. */
export type PluginListeners = {
  readonly [Type in AgentEventType]?: readonly ((
    event: Extract<AgentEvent, { readonly type: Type }>,
    runtime: Runtime,
  ) => unknown)[];
};

/** Does the tasks of one kind. Throwing means: try again. A crash may let a turn run again, with the same `turn.id`. */
export type PluginTaskWorker = (runtime: Runtime, task: Task, turn: TaskTurn) => Promise<void> | void;

/** Told what became of a choice: answered or expired. What it returns is told to the room. Throwing means: try again. */
export type PluginChoiceWorker = (
  runtime: Runtime,
  choice: OfferedChoice,
  turn: TaskTurn,
) => Promise<string | undefined | void> | string | undefined | void;

/** A bundle of everything above. `init` runs first, then its components are registered in the order of the members. */
export interface Plugin {
  readonly name: string;
  readonly description?: string;
  readonly init?: (config: JsonObject, runtime: Runtime) => Promise<void> | void;
  /** Names of plugins that must be there and come first. */
  readonly dependencies?: readonly string[];
  /** Further ones that its tests need. */
  readonly testDependencies?: readonly string[];
  /** Its own tables, brought up to date before `init`. */
  readonly migrations?: readonly PluginMigration[];
  readonly services?: readonly ServiceClass[];
  readonly providers?: readonly Provider[];
  readonly actions?: readonly Action[];
  readonly evaluators?: readonly Evaluator[];
  /** By type, one or several with priorities: the highest answers, the next when it fails before it said anything. */
  readonly models?: ModelOffers;
  /** What is reached over HTTP, under `/<name>/…`. */
  readonly routes?: readonly Route[];
  /** Who does the tasks of `runtime.tasks`, by kind. */
  readonly taskWorkers?: Readonly<Record<string, PluginTaskWorker>>;
  /** Who is told what became of the choices of `runtime.choices`, by kind. */
  readonly choiceWorkers?: Readonly<Record<string, PluginChoiceWorker>>;
  /** What owners and admins of a server may set in conversation; read with `runtime.getWorldSetting`. */
  readonly settings?: readonly WorldSetting[];
  /** Kinds of contexts, for characters that think in steps. */
  readonly contexts?: readonly ContextDefinition[];
  /** Further ways into contexts, its own or others'. */
  readonly inputs?: readonly InputTo[];
  /** Outputs in every context. */
  readonly outputs?: readonly ContextOutput[];
  /** Bundles it brings along, installed before it; one that several bring is installed once. */
  readonly extensions?: readonly Plugin[];
  /** Listeners by event type; what they return is not waited for. */
  readonly events?: PluginListeners;
}
