import type { RegisteredAction } from "../action/action.ts";
import { checkAction } from "../action/check-action.ts";
import { createActionResolver } from "../action/resolve-action.ts";
import { ConfigError } from "../errors.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { RegisteredEvaluator } from "./bind-evaluator.ts";
import type { RegisteredRoute } from "./bind-route.ts";
import { type ModelOffers, type OfferedModel, readOffers } from "./offered-models.ts";

/** What one owner brings along, bound. */
export type Components = {
  readonly actions?: readonly RegisteredAction[];
  readonly providers?: readonly RegisteredProvider[];
  readonly evaluators?: readonly RegisteredEvaluator[];
  readonly models?: ModelOffers;
  readonly routes?: readonly RegisteredRoute[];
};

/**
 * Everything that is registered with one agent now, by its owner: the house or a plugin. Every list is the same object until
 * something changes, so that what was rendered from it can be kept beside it.
 */
export type Registry = {
  actions(): readonly RegisteredAction[];
  resolveAction(name: string): RegisteredAction | null;
  providers(): readonly RegisteredProvider[];
  evaluators(): readonly RegisteredEvaluator[];
  /** Every model that was brought, in the order of registration; `combineModels` puts them in order. */
  models(): readonly OfferedModel[];
  routes(): readonly RegisteredRoute[];
  /**
   * All of it or nothing; what its author should know comes back, one sentence each.
   * @throws ConfigError or ValidationError naming what is wrong, the name that is taken and by whom, and the remedy.
   */
  add(owner: string, components: Components): readonly string[];
  /** Takes away all of an owner's components; later ones of the same owner are refused. */
  remove(owner: string): void;
};

type Owned<Kind> = { readonly owner: string; readonly item: Kind };
type Tables = {
  readonly actions: readonly Owned<RegisteredAction>[];
  readonly providers: readonly Owned<RegisteredProvider>[];
  readonly evaluators: readonly Owned<RegisteredEvaluator>[];
  readonly models: readonly Owned<OfferedModel>[];
  readonly routes: readonly Owned<RegisteredRoute>[];
};
type View = Pick<Registry, "actions" | "resolveAction" | "providers" | "evaluators" | "models" | "routes">;

const nothing: Tables = { actions: [], providers: [], evaluators: [], models: [], routes: [] };

/** An empty registry; the house adds its own under a name of its own before the plugins do. */
export function createRegistry(): Registry {
  let tables = nothing;
  let view = viewOf(tables);
  const removed = new Set<string>();
  const replace = (next: Tables): void => {
    tables = next;
    view = viewOf(next);
  };
  return {
    actions: () => view.actions(),
    resolveAction: (name) => view.resolveAction(name),
    providers: () => view.providers(),
    evaluators: () => view.evaluators(),
    models: () => view.models(),
    routes: () => view.routes(),
    add(owner, { actions = [], providers = [], evaluators = [], models = {}, routes = [] }) {
      if (removed.has(owner)) {
        throw new ConfigError("invalid", `${owner} is not in use any more and cannot register anything`);
      }
      const offered = readOffers(owner, models).map((item) => ({ owner, item }));
      const warnings = checkActions(actions, view.actions());
      replace({
        actions: [...tables.actions, ...actions.map((item) => ({ owner, item }))],
        providers: joined("provider", tables.providers, { owner, items: providers, nameOf: plainName }),
        evaluators: joined("evaluator", tables.evaluators, { owner, items: evaluators, nameOf: plainName }),
        models: offered.length === 0 ? tables.models : [...tables.models, ...offered],
        routes: joined("route", tables.routes, { owner, items: routes, nameOf: ({ name }) => name }),
      });
      return warnings;
    },
    remove(owner) {
      removed.add(owner);
      const others = <Kind>(owned: readonly Owned<Kind>[]) => owned.filter((one) => one.owner !== owner);
      const { actions, providers, evaluators, models, routes } = tables;
      replace({
        actions: others(actions),
        providers: others(providers),
        evaluators: others(evaluators),
        models: others(models),
        routes: others(routes),
      });
    },
  };
}

function checkActions(added: readonly RegisteredAction[], present: readonly RegisteredAction[]): readonly string[] {
  return added.flatMap((action, at) => checkAction(action, [...present, ...added.slice(0, at)]).warnings);
}

/** Code without types may leave a name out. */
const plainName = ({ name }: { readonly name: unknown }): string =>
  typeof name === "string" ? name.trim().toUpperCase() : "";

type Addition<Kind> = {
  readonly owner: string;
  readonly items: readonly Kind[];
  /** What two of a kind may not share. */
  readonly nameOf: (item: Kind) => string;
};

function joined<Kind>(
  kind: string,
  present: readonly Owned<Kind>[],
  { owner, items, nameOf }: Addition<Kind>,
): readonly Owned<Kind>[] {
  const owners = new Map(present.map((one) => [nameOf(one.item), one.owner]));
  for (const item of items) {
    const name = nameOf(item);
    if (name === "") throw new ConfigError("invalid", `${owner} registers a nameless ${kind}; give it a name`);
    const holder = owners.get(name);
    if (holder !== undefined) {
      const by = holder === owner ? `${owner} itself` : holder;
      const shown = shownName(item) ?? name;
      throw new ConfigError(
        "invalid",
        `${owner} registers the ${kind} ${shown}, a name that is taken by ${by}; rename or remove one of the two`,
      );
    }
    owners.set(name, owner);
  }
  return items.length === 0 ? present : [...present, ...items.map((item) => ({ owner, item }))];
}

function shownName(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !("name" in item)) return undefined;
  return typeof item.name === "string" ? item.name : undefined;
}

function viewOf(tables: Tables): View {
  const actions = tables.actions.map(({ item }) => item);
  const providers = tables.providers.map(({ item }) => item);
  const evaluators = tables.evaluators.map(({ item }) => item);
  const models = tables.models.map(({ item }) => item);
  const routes = tables.routes.map(({ item }) => item);
  const resolve = createActionResolver(actions);
  return {
    actions: () => actions,
    resolveAction: resolve,
    providers: () => providers,
    evaluators: () => evaluators,
    models: () => models,
    routes: () => routes,
  };
}
