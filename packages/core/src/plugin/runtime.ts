import type { ActionResult } from "../action/action.ts";
import type { HandedMessage, HandledMessage } from "../action/handed-message.ts";
import type { Character } from "../character/character.ts";
import type { Offer, OfferedChoice } from "../choice/choice.ts";
import type { Choices } from "../choice/choices.ts";
import type { Listener } from "../event/event.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import type { Entity } from "../room/room.ts";
import type { State } from "../state/provider.ts";
import type { SqlRow, SqlValue } from "../store/plugin-tables.ts";
import type { RecentQuery, RoomRow, SearchHit, SearchQuery } from "../store/store.ts";
import type { Task } from "../store/tasks.ts";
import type { Write } from "../store/writes.ts";
import type { TaskBook } from "../task/task-book.ts";
import type { TaskDraft } from "../task/task-draft.ts";
import type { Action } from "./action-shape.ts";
import type { Evaluator, Provider, Service } from "./plugin.ts";
import type { UseModel } from "./use-model.ts";

/** Small durable values by key, the agent's own; they hold over restarts. */
export interface Cache {
  get(key: string): Promise<JsonValue | null>;
  /** The value with its version, for `ifVersion` of {@link Cache.set}. */
  getVersioned(key: string): Promise<{ readonly value: JsonValue; readonly version: number } | null>;
  /** Says whether it was set: with `ifVersion` only when nobody was faster (0: when it is not there). */
  set(
    key: string,
    value: JsonValue,
    options?: { readonly ttlMs?: number; readonly ifVersion?: number },
  ): Promise<boolean>;
  del(key: string): Promise<boolean>;
  /** Adds to a whole number, from 0 when not there, and returns the sum. */
  increment(key: string, amount?: number, options?: { readonly ttlMs?: number }): Promise<number>;
}

/** What is remembered, as a plugin may read it and add to it. */
export interface PluginMemories {
  get(ids: readonly string[]): Promise<readonly Memory[]>;
  recent(query: RecentQuery): Promise<readonly Memory[]>;
  search(query: SearchQuery): Promise<readonly SearchHit[]>;
  /** Keeps a memory. Without an id one is derived, within an action from the call, so that a repeated action writes once. */
  create(memory: Omit<Memory, "id" | "agentId" | "createdAt"> & { readonly id?: string }): Promise<Memory>;
}

/** The plugin's own tables, made by its `migrations`; their names begin with `plugin_<name>_`. All agents of a store share them. */
export interface Tables {
  /** Reads, at most 10,000 rows. Booleans count as 1 and 0. The caller names the columns it selects: `query<{ id: string }>(…)`. */
  query<Row extends SqlRow = SqlRow>(
    sql: string,
    parameters?: readonly (SqlValue | boolean)[],
  ): Promise<readonly Row[]>;
  /** Inserts, updates and deletes, all or none; how many rows each changed. */
  write(
    statements: readonly { readonly sql: string; readonly parameters?: readonly (SqlValue | boolean)[] }[],
  ): Promise<readonly number[]>;
}

/** What is to be done at a time, once or again and again; it holds over restarts. Ids are the plugin's own. */
export interface PluginTasks extends Omit<TaskBook, "put"> {
  /**
   * Plans it; the same id with the same draft changes nothing, so that `init` may plan at every start. Without an id one is made,
   * within an action from the call, so that a repeated action plans once. @throws TroupeError `invalid` naming what is wrong.
   */
  put(draft: Omit<TaskDraft, "id"> & { readonly id?: string }): Promise<Task>;
}

/** Choices that await people; they hold over restarts. Ids are the plugin's own. */
export interface PluginChoices extends Omit<Choices, "offer"> {
  /** Asks a room; what is chosen, or that nothing was in time, is told to the `choiceWorkers` of that kind. */
  offer(offer: Omit<Offer, "id"> & { readonly id?: string }): Promise<OfferedChoice>;
}

/** What plugins may write beside what the engine writes; sends go through the callback and the built-in actions. */
export type PluginWrite = Extract<
  Write,
  { readonly type: "world.put" | "room.put" | "room.stance" | "entity.put" | "memory.put" | "memory.remove" }
>;

/** Hands messages to the agent, as if somebody had said them. */
export interface MessageService {
  /**
   * Resolves with what became of it. Inside an action it is answered in a run within the run: at once, bounded, and the same
   * message once however often the call runs. Anywhere else it waits its turn in its room like any message.
   * @throws TroupeError `invalid` in a provider, a check or a review, for which the room waits; `not_found` for an unknown room
   * or entity; `unavailable` when the platform is not connected, the agent has not started or the run was put off.
   */
  handleMessage(message: HandedMessage): Promise<HandledMessage>;
}

/** How much is logged; `silent` is nothing. */
export type PluginLogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** The log of one plugin; every line carries the plugin's name. */
export type PluginLogger = Log & {
  /** From now on this much of what the plugin says is written. Says whether the log can do that. */
  setLevel(level: PluginLogLevel): boolean;
};

/**
 * What plugin code is handed: a thin facade over the agent's parts, for actions, providers, evaluators, services and `init`.
 * Nothing inside the engine takes it.
 */
export interface Runtime {
  readonly agentId: string;
  readonly character: Character;
  readonly logger: PluginLogger;
  /** The plugin's own part of the character's `settings.pluginConfig`, by the plugin's name; empty when there is none. */
  readonly config: JsonObject;
  /** What is registered now, built-in ones included, by their names. */
  actionNames(): readonly string[];
  /**
   * The character's secrets, then its settings, then the environment. `"true"` and `"false"` become booleans; other texts
   * stay texts, numbers in quotes too, for an id or a key is no number. Unknown or empty is null.
   */
  getSetting(name: string): JsonValue;
  /** The setting as text. @throws ConfigError naming it and where to set it, when it is not there. */
  requireSetting(name: string): string;
  /**
   * What was set in a server for one of the settings this plugin declares, secrets included; its default, or null, where nothing was.
   * @throws TroupeError `not_found` when the plugin declares no such setting.
   */
  getWorldSetting(worldId: string, name: string): Promise<JsonValue>;
  /** The running service of this type. The caller names its class, for only the caller knows it: `getService<Shop>("shop")`. */
  getService<Kind extends Service = Service>(type: string): Kind | null;
  hasService(type: string): boolean;
  readonly cache: Cache;
  readonly tables: Tables;
  readonly memories: PluginMemories;
  readonly tasks: PluginTasks;
  readonly choices: PluginChoices;
  getEntity(id: string): Promise<Entity | null>;
  getRoom(id: string): Promise<RoomRow | null>;
  /** All of the writes or none. */
  transaction(writes: readonly PluginWrite[]): Promise<void>;
  /** Asks a model by its type: text, data, vectors, pictures, speech. Inside a run it counts to the run and ends with it. */
  readonly useModel: UseModel;
  composeState(
    message: Memory,
    include?: readonly string[],
    onlyInclude?: boolean,
    skipCache?: boolean,
  ): Promise<State>;
  /** From inside a handler: runs further actions within it. */
  processActions(
    message: Memory,
    actions: readonly { readonly name: string; readonly parameters?: JsonObject }[],
  ): Promise<readonly ActionResult[]>;
  readonly messageService: MessageService;
  on(listener: Listener): () => void;
  /** Tells whoever listens something of the plugin's own, as PLUGIN_EVENT; within a run, with the run's id and room. */
  emit(name: string, data?: JsonObject): void;
  registerAction(action: Action): void;
  registerProvider(provider: Provider): void;
  registerEvaluator(evaluator: Evaluator): void;
}
