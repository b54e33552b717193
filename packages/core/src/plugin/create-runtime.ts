import { hash } from "node:crypto";
import type { HandedMessage, HandledMessage } from "../action/handed-message.ts";
import type { Character } from "../character/character.ts";
import type { Clock } from "../clock.ts";
import type { BroughtContexts } from "../context/context-definitions.ts";
import { TroupeError, ValidationError } from "../errors.ts";
import type { Events } from "../event/event.ts";
import type { JsonObject } from "../json.ts";
import type { Log } from "../log.ts";
import type { Memory } from "../memory/memory.ts";
import type { Models } from "../model/models.ts";
import { chooseProviders, composeState } from "../state/compose-state.ts";
import type { State } from "../state/provider.ts";
import type { Store, StoreAdmin } from "../store/store.ts";
import type { Planning } from "../task/planning.ts";
import type { WorldSettings } from "../world/world-settings.ts";
import { askModel, type ModelUse } from "./ask-model.ts";
import { bindAction } from "./bind-action.ts";
import { bindEvaluator } from "./bind-evaluator.ts";
import { bindProvider } from "./bind-provider.ts";
import { createCache } from "./create-cache.ts";
import { createPluginLogger } from "./create-logger.ts";
import { createPluginChoices, createPluginTasks } from "./create-planning.ts";
import { createPluginMemories } from "./create-plugin-memories.ts";
import { createTables } from "./create-tables.ts";
import { currentWork, nextOccurrence } from "./current-work.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Environment } from "./read-setting.ts";
import { readSetting, requireSetting } from "./read-setting.ts";
import type { Components, Registry } from "./registry.ts";
import type { PluginWrite, Runtime } from "./runtime.ts";
import type { Services } from "./services.ts";

/** What the facade stands before. */
export type RuntimeParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly log: Log;
  readonly clock: Clock;
  readonly store: Pick<Store, "memories" | "rooms" | "keyValues" | "tables"> & {
    readonly admin: Pick<StoreAdmin, "write">;
  };
  readonly models: Models;
  /** What settings may be found in after the character's own. */
  readonly environment: Environment;
  readonly events: Events;
  readonly registry: Registry;
  readonly services: Services;
  /** Ids for what plugins write outside any run. */
  readonly newId: () => string;
  /** Told of every question plugins put to a model. */
  readonly onModelUsed: (use: ModelUse) => void;
  readonly openRuns: Pick<OpenRuns, "statesOf">;
  /** What is planned with; absent or null where nothing plans. */
  readonly planning?: Planning | null;
  /** What is set in servers; absent where nothing is. */
  readonly worldSettings?: Pick<WorldSettings, "declare" | "takeBack" | "valueFor">;
  /** Where plugins' contexts go; absent where nothing thinks in steps. */
  readonly contexts?: {
    bring(owner: string, brought: BroughtContexts): Promise<void> | void;
    takeBack(owner: string): void;
  };
  /** Takes a message that is handed over outside any action. */
  readonly handleMessage: (message: HandedMessage) => Promise<HandledMessage>;
};

/** For whom a runtime is made. */
export type RuntimeOwner = { readonly plugin: string; readonly config: JsonObject };

/** The facade for the code of one plugin. Cheap: it holds nothing but the parts. */
export function createRuntime(parts: RuntimeParts, owner?: RuntimeOwner): Runtime {
  const { agentId, character, clock, store, registry, services, environment, models, onModelUsed } = parts;
  const name = owner?.plugin ?? "the program";
  const asker = owner && { plugin: owner.plugin };
  const logger = createPluginLogger(parts.log, owner?.plugin);
  const register = (components: Components): void => {
    for (const warning of registry.add(name, components)) logger.warn({}, warning);
  };
  const plans = { agentId, planning: parts.planning ?? null, newId: parts.newId };
  const runtime: Runtime = {
    agentId,
    character,
    logger,
    config: owner?.config ?? {},
    actionNames: () => registry.actions().map((action) => action.name),
    getSetting: (setting) => readSetting(character, environment, setting),
    requireSetting: (setting) => requireSetting(character, environment, setting),
    getWorldSetting: async (worldId, setting) => (await parts.worldSettings?.valueFor(name, worldId, setting)) ?? null,
    // The caller names the class; only the plugin that registered the service knows it.
    getService: <Kind>(type: string) => services.get(type) as Kind | null,
    hasService: (type) => services.has(type),
    cache: createCache({ agentId, keyValues: store.keyValues, clock }),
    tables: createTables(store.tables, owner?.plugin),
    memories: createPluginMemories({ ...store, agentId, clock, newId: parts.newId }),
    tasks: createPluginTasks(plans, name),
    choices: createPluginChoices(plans, name),
    getEntity: async (id) => (await store.rooms.entities(agentId, [id]))[0] ?? null,
    getRoom: (id) => store.rooms.room(agentId, id),
    transaction: async (writes) => store.admin.write(agentId, checkWrites(writes)),
    useModel: (type, question) =>
      askModel(
        { agentId, models, overrides: () => registry.models(), onModelUsed, log: parts.log, ...asker },
        type,
        question,
      ),
    composeState: (message, include = [], onlyInclude = false, skipCache = false) =>
      composeFor(parts, message, { include, onlyInclude, skipCache }),
    processActions: async (message, actions) => actWithin(agentId, message, actions),
    messageService: { handleMessage: async (message) => handOver(parts, message) },
    on: (listener) => parts.events.on(listener),
    emit(event, data = {}) {
      const work = currentWork(agentId);
      parts.events.emit({
        type: "PLUGIN_EVENT",
        plugin: name,
        name: event,
        data,
        ...(work?.runId !== undefined && { runId: work.runId }),
        ...(work?.roomId !== undefined && { roomId: work.roomId }),
      });
    },
    registerAction: (action) => register({ actions: [bindAction(action, runtime)] }),
    registerProvider: (provider) => register({ providers: [bindProvider(provider, runtime)] }),
    registerEvaluator: (evaluator) => register({ evaluators: [bindEvaluator(evaluator, runtime)] }),
  };
  return runtime;
}

const writable: Readonly<Record<PluginWrite["type"], true>> = {
  "world.put": true,
  "room.put": true,
  "room.stance": true,
  "entity.put": true,
  "memory.put": true,
  "memory.remove": true,
};

function checkWrites(writes: readonly PluginWrite[]): readonly PluginWrite[] {
  for (const { type } of writes) {
    if (Object.hasOwn(writable, type)) continue;
    throw new ValidationError(
      `a plugin may not write ${String(type)}; it may write ${Object.keys(writable).join(", ")}`,
    );
  }
  return writes;
}

type Choice = { readonly include: readonly string[]; readonly onlyInclude: boolean; readonly skipCache: boolean };

/** Composes what is asked for; the same once within a run. `skipCache` composes it anew, also for those who ask later. */
async function composeFor(parts: RuntimeParts, message: Memory, choice: Choice): Promise<State> {
  const { agentId, registry, clock } = parts;
  const { include, onlyInclude, skipCache } = choice;
  const work = currentWork(agentId);
  const compose = (): Promise<State> => {
    const providers = chooseProviders(registry.providers(), { include, only: onlyInclude });
    const signal = work?.signal ?? new AbortController().signal;
    const request = { runId: work?.runId ?? "", step: 0, message, now: clock.now(), signal };
    return composeState(providers, request, clock);
  };
  const states = work?.runId === undefined ? undefined : parts.openRuns.statesOf(work.runId);
  if (!states) return compose();
  const wanted = include.map((name) => name.trim().toUpperCase()).toSorted();
  const key = JSON.stringify([message.id, onlyInclude, ...wanted]);
  const composing = (skipCache ? undefined : states.get(key)) ?? compose();
  states.set(key, composing);
  try {
    return await composing;
  } catch (error) {
    if (states.get(key) === composing) states.delete(key);
    throw error;
  }
}

function handOver({ agentId, handleMessage }: RuntimeParts, message: HandedMessage): Promise<HandledMessage> {
  const work = currentWork(agentId);
  if (work?.call) {
    const { roomId, entityId, content } = message;
    const print = hash("sha256", JSON.stringify([roomId ?? null, entityId ?? null, content]), "hex").slice(0, 16);
    return work.call.handle({ ...message, key: `${print}-${nextOccurrence(agentId, print)}` });
  }
  if (!work?.isAwaited) return handleMessage(message);
  throw new TroupeError(
    "invalid",
    "a provider, a check or a review cannot hand over a message, for its room waits for it; do it in an action, an evaluator's handler, a service or a route",
  );
}

function actWithin(
  agentId: string,
  message: Memory,
  actions: Parameters<Runtime["processActions"]>[1],
): ReturnType<Runtime["processActions"]> {
  const call = currentWork(agentId)?.call;
  if (!call) {
    throw new TroupeError("invalid", "processActions works inside an action's handler only; call it there");
  }
  if (message.id !== call.message.id) {
    throw new ValidationError("actions run for the message the handler was given; pass that message to processActions");
  }
  return call.act(actions);
}
