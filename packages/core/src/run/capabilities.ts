import type { RegisteredAction } from "../action/action.ts";
import { type ActionTools, createActionTools } from "../action/action-tools.ts";
import { basicActions } from "../basic/basic-actions.ts";
import { createRoles } from "../basic/roles.ts";
import type { Events } from "../event/event.ts";
import type { Log } from "../log.ts";
import { createModelPermits } from "../model/model-permits.ts";
import type { Models } from "../model/models.ts";
import type { ModelUse } from "../plugin/ask-model.ts";
import type { RuntimeParts } from "../plugin/create-runtime.ts";
import type { InstalledPlugins } from "../plugin/install-plugins.ts";
import { combineModels } from "../plugin/offered-models.ts";
import { createOpenRuns, type OpenRuns } from "../plugin/open-runs.ts";
import { createRegistry, type Registry } from "../plugin/registry.ts";
import { builtInProviders } from "../state/built-in-providers.ts";
import type { Planning } from "../task/planning.ts";
import { createWorlds, type Worlds } from "../world/worlds.ts";
import { choiceWarnings } from "./action-filters.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Messages } from "./hand-messages.ts";
import { createSurroundings } from "./surroundings.ts";
import { createWhyAction } from "./why-action.ts";

/** What an agent can do and knows where to look: its own and what its plugins bring. */
export type Capabilities = {
  readonly registry: Registry;
  /** The runs under way, to which what plugins spend is counted. */
  readonly openRuns: OpenRuns;
  /** What servers set, and what of it is kept out of everything that is heard. */
  readonly worlds: Pick<Worlds, "settings" | "hear" | "greetingFor">;
  /** The models in use: a plugin's where it brings one, else those given. */
  models(): Models;
  /** Actions as native tools; made once for a list. */
  tools(actions: readonly RegisteredAction[]): ActionTools;
  /** Installs the plugins; one that fails is logged and the others go on. Once. */
  install(planning: Planning | null): Promise<void>;
  /** Stops services and takes back what plugins brought. */
  close(): Promise<void>;
};

/** What capabilities are put together with. */
type CapabilityParts = {
  readonly agentId: string;
  readonly log: Log;
  readonly events: Events;
  /** There once plugins are installed. */
  readonly messages: () => Pick<Messages, "handle">;
  /** Where plugins' contexts go. */
  readonly contexts: () => NonNullable<RuntimeParts["contexts"]>;
};

/** Calls of one model under way at once, where nobody says otherwise: as many as most vendors let everybody have. */
const usualModelConcurrency = 16;

/** Under this name the agent's own components are registered. */
const house = "troupe";

/** Registers what every agent has, and what was given beside; plugins come with `install`. */
export function createCapabilities(
  given: AgentParts,
  { agentId, log, events, messages, contexts }: CapabilityParts,
): Capabilities {
  const { character, store, clock } = given;
  const registry = createRegistry();
  const roles = createRoles({ agentId, keyValues: store.keyValues, rooms: store.rooms });
  const surroundings = createSurroundings({ agentId, store, roles });
  const worlds = createWorlds({ agentId, character, store, clock, roles, actions: () => registry.actions() });
  registry.add(house, {
    actions: [
      ...basicActions({ agentId, store, roles }),
      createWhyAction({ agentId, store }),
      ...worlds.actions,
      ...(given.actions ?? []),
    ],
    providers: [
      ...builtInProviders({ agentId, character, surroundings }),
      ...worlds.providers,
      ...(given.providers ?? []),
    ],
    evaluators: given.evaluators ?? [],
  });
  let installed: InstalledPlugins | null = null;
  const made = new WeakMap<readonly RegisteredAction[], ActionTools>();
  const openRuns = createOpenRuns();
  const onModelUsed = ({ callId, ...use }: ModelUse): void => {
    const isWithin = openRuns.countUse({ ...use, ...(callId !== undefined && { callId }) });
    events.emit({ type: "MODEL_USED", ...use });
    if (!isWithin) log.info(use, "a plugin asked a model outside any run");
  };
  const permits = createModelPermits(given.defaults?.modelConcurrency ?? usualModelConcurrency);
  const models = (): Models => permits.limit(combineModels(given.models, registry.models(), log));
  return {
    registry,
    openRuns,
    worlds,
    models,
    tools(actions) {
      const tools = made.get(actions) ?? createActionTools(actions);
      made.set(actions, tools);
      return tools;
    },
    async install(planning) {
      await installAll(planning);
      for (const warning of choiceWarnings(character, registry.actions())) log.warn({}, warning);
    },
    async close() {
      await installed?.close();
    },
  };

  async function installAll(planning: Planning | null): Promise<void> {
    const plugins = given.plugins ?? [];
    if (plugins.length === 0) return;
    // Most agents have no plugins: what installs them is loaded for those that do.
    const [{ installPlugins }, { createServices }] = await Promise.all([
      import("../plugin/install-plugins.ts"),
      import("../plugin/services.ts"),
    ]);
    const environment = given.environment ?? {};
    const services = createServices({ clock, log });
    const runtime = {
      agentId,
      character,
      log,
      clock,
      store,
      models: given.models,
      environment,
      events,
      registry,
      services,
    };
    installed = await installPlugins(plugins, {
      ...runtime,
      newId: given.newId ?? (() => crypto.randomUUID()),
      onModelUsed,
      openRuns,
      planning,
      worldSettings: worlds.settings,
      handleMessage: (message) => messages().handle(message),
      contexts: contexts(),
    });
  }
}
