import { nearestKey } from "../character/nearest-key.ts";
import { ConfigError, errorMessage } from "../errors.ts";
import { type AgentEvent, eventTypes, type Listener } from "../event/event.ts";
import { bindAction } from "./bind-action.ts";
import { bindEvaluator } from "./bind-evaluator.ts";
import { bindProvider } from "./bind-provider.ts";
import { bindRoute } from "./bind-route.ts";
import { addPlanWorkers } from "./create-planning.ts";
import { createRuntime, type RuntimeParts } from "./create-runtime.ts";
import { migrateTables } from "./create-tables.ts";
import { withinDeadline } from "./deadline.ts";
import { withExtensions } from "./extension.ts";
import { orderPlugins, type PluginFailure, unusableReason } from "./order-plugins.ts";
import type { Plugin } from "./plugin.ts";
import { readPluginConfig } from "./read-setting.ts";
import type { Runtime } from "./runtime.ts";

/** How plugins are installed. */
export type InstallOptions = {
  /** For each plugin's `init`; 30,000 when absent. */
  readonly initTimeoutMs?: number;
  /** Orders by what the plugins' tests need, too. */
  readonly withTestDependencies?: boolean;
};

/** Plugins at work. Their components are in the registry, their services are running. */
export type InstalledPlugins = {
  /** Names, in the order of installation. */
  readonly installed: readonly string[];
  readonly failures: readonly PluginFailure[];
  /** Takes everything back, the last installed first: listeners, components, services. */
  close(): Promise<void>;
};

/**
 * Installs plugins, each after those it depends on: configuration → tables → `init` → services → providers, actions, evaluators,
 * models, routes → events. One that fails anywhere leaves nothing behind and is named with its reason; those that depend on it fail
 * too, the others go on. Never throws.
 */
export async function installPlugins(
  plugins: readonly Plugin[],
  parts: RuntimeParts,
  options: InstallOptions = {},
): Promise<InstalledPlugins> {
  const order = orderPlugins(withExtensions(plugins), options);
  const failures: PluginFailure[] = [...order.failures];
  const closers = new Map<string, () => Promise<void>>();
  for (const plugin of order.ordered) {
    const unusable = plugin.dependencies?.find((need) => !closers.has(need));
    const outcome =
      unusable === undefined ? await install(plugin, parts, options) : unusableReason(plugin.name, unusable);
    if (typeof outcome === "function") closers.set(plugin.name, outcome);
    else failures.push({ plugin: plugin.name, reason: outcome });
  }
  for (const { plugin, reason } of failures)
    parts.log.error({ plugin, reason }, "a plugin cannot be used; the others go on");
  return {
    installed: [...closers.keys()],
    failures,
    async close() {
      for (const close of [...closers.values()].toReversed()) await close();
      closers.clear();
    },
  };
}

/** The plugin's closer, or the reason why it cannot be used. */
async function install(
  plugin: Plugin,
  parts: RuntimeParts,
  { initTimeoutMs = 30_000 }: InstallOptions,
): Promise<(() => Promise<void>) | string> {
  const { name, init } = plugin;
  const { registry, services, clock } = parts;
  const silencers: (() => void)[] = [];
  const ends: (() => void)[] = [];
  const events = {
    ...parts.events,
    on(listener: Listener) {
      const silence = parts.events.on(listener);
      silencers.push(silence);
      return silence;
    },
  };
  const close = async (): Promise<void> => {
    for (const silence of silencers.splice(0)) silence();
    for (const end of ends.splice(0)) end();
    registry.remove(name);
    parts.contexts?.takeBack(name);
    parts.worldSettings?.takeBack(name);
    await services.stop(name);
  };
  try {
    checkListeners(plugin);
    const config = readPluginConfig(parts.character, name);
    const runtime = createRuntime({ ...parts, events }, { plugin: name, config });
    const migrated = await migrateTables(name, plugin.migrations, parts.store.tables);
    if (migrated.length > 0) runtime.logger.info({ migrations: migrated }, "a plugin's tables were brought up to date");
    parts.worldSettings?.declare(name, plugin.settings ?? []);
    const deadline = { clock, timeoutMs: initTimeoutMs, what: "its init" };
    if (init) await withinDeadline(() => init.call(plugin, config, runtime), deadline);
    for (const service of plugin.services ?? []) await services.start(service, runtime, name);
    await registerComponents(plugin, parts, runtime);
    ends.push(addPlanWorkers(plugin, { agentId: parts.agentId, planning: parts.planning ?? null }, runtime));
    listen(plugin, runtime);
    return close;
  } catch (error) {
    await close();
    return errorMessage(error);
  }
}

async function registerComponents(
  plugin: Plugin,
  { registry, newId, contexts }: RuntimeParts,
  runtime: Runtime,
): Promise<void> {
  const { name, providers = [], actions = [], evaluators = [], models = {}, routes = [] } = plugin;
  const warnings = registry.add(name, {
    providers: providers.map((provider) => bindProvider(provider, runtime)),
    actions: actions.map((action) => bindAction(action, runtime)),
    evaluators: evaluators.map((evaluator) => bindEvaluator(evaluator, runtime)),
    models,
    routes: routes.map((route) => bindRoute(route, runtime, { plugin: name, newId })),
  });
  for (const warning of warnings) runtime.logger.warn({}, warning);
  const { contexts: kinds = [], inputs = [], outputs = [] } = plugin;
  await contexts?.bring(name, { contexts: kinds, inputs, outputs });
}

/** @throws ConfigError naming an event there is none of, with the nearest one, or what is no list of functions. */
function checkListeners({ name, events = {} }: Plugin): void {
  for (const [type, listeners] of Object.entries<unknown>(events)) {
    if (!Object.hasOwn(eventTypes, type)) {
      const known = Object.keys(eventTypes);
      const near = nearestKey(type, known);
      const remedy = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
      throw new ConfigError("invalid", `${name} listens for ${type}, an event there is none of; ${remedy}`);
    }
    if (!Array.isArray(listeners) || listeners.some((listener) => typeof listener !== "function")) {
      throw new ConfigError(
        "invalid",
        `the listeners of ${name} for ${type} are no list of functions; correct its events`,
      );
    }
  }
}

function listen({ events = {} }: Plugin, runtime: Runtime): void {
  // What stands under a type takes the events of that type.
  const byType = new Map(
    Object.entries(events) as [string, readonly ((event: AgentEvent, runtime: Runtime) => unknown)[]][],
  );
  if (byType.size === 0) return;
  for (const [type, listeners] of byType) {
    for (const listener of listeners) {
      runtime.on((event) => (event.type === type ? listener(event, runtime) : undefined));
    }
  }
}
