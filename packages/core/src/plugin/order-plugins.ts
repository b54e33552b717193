import type { Plugin } from "./plugin.ts";

/** What of a plugin its place depends on. */
export type Orderable = Pick<Plugin, "name" | "dependencies" | "testDependencies">;

/** A plugin that cannot be used, and why, with the remedy. */
export type PluginFailure = { readonly plugin: string; readonly reason: string };

/** The usable plugins, each after those it depends on, and the others with their reasons. */
export type PluginOrder<Kind> = { readonly ordered: readonly Kind[]; readonly failures: readonly PluginFailure[] };

type Graph<Kind> = {
  readonly byName: ReadonlyMap<string, Kind>;
  needsOf(name: string): readonly string[];
};

/**
 * Puts plugins in the order in which they can be installed: dependencies first, otherwise as they were given. A duplicate, a
 * circle and a missing dependency are failures of the plugins concerned and of those that depend on them; the others go on.
 */
export function orderPlugins<Kind extends Orderable>(
  plugins: readonly Kind[],
  options: { readonly withTestDependencies?: boolean } = {},
): PluginOrder<Kind> {
  const byName = new Map<string, Kind>();
  const failures: PluginFailure[] = [];
  for (const plugin of plugins) {
    if (byName.has(plugin.name)) failures.push({ plugin: plugin.name, reason: duplicateReason(plugin.name) });
    else byName.set(plugin.name, plugin);
  }
  const graph: Graph<Kind> = {
    byName,
    needsOf(name) {
      const { dependencies = [], testDependencies = [] } = byName.get(name) ?? {};
      return options.withTestDependencies ? [...dependencies, ...testDependencies] : dependencies;
    },
  };
  const reasons = findUnusable(graph);
  for (const [plugin, reason] of reasons) failures.push({ plugin, reason });
  return { ordered: inOrder(graph, (name) => !reasons.has(name)), failures };
}

/** Why each unusable plugin is so: for its own sake, or for the sake of one that it needs. */
function findUnusable<Kind>(graph: Graph<Kind>): ReadonlyMap<string, string> {
  const names = [...graph.byName.keys()];
  const reasons = new Map<string, string>();
  for (const name of names) {
    const missing = graph.needsOf(name).find((need) => !graph.byName.has(need));
    const circle = circleThrough(name, graph);
    if (missing !== undefined) reasons.set(name, missingReason(name, missing));
    else if (circle) reasons.set(name, circleReason(circle));
  }
  let known = -1;
  while (known !== reasons.size) {
    known = reasons.size;
    for (const name of names) {
      const unusable = graph.needsOf(name).find((need) => reasons.has(need));
      if (unusable !== undefined && !reasons.has(name)) reasons.set(name, unusableReason(name, unusable));
    }
  }
  return reasons;
}

function inOrder<Kind>(graph: Graph<Kind>, isUsable: (name: string) => boolean): readonly Kind[] {
  const ordered = new Map<string, Kind>();
  const visit = (name: string): void => {
    const plugin = graph.byName.get(name);
    if (!plugin || ordered.has(name)) return;
    for (const need of graph.needsOf(name)) visit(need);
    ordered.set(name, plugin);
  };
  for (const name of graph.byName.keys()) if (isUsable(name)) visit(name);
  return [...ordered.values()];
}

/** The shortest way from a plugin along its dependencies back to itself, both ends named. */
function circleThrough<Kind>(name: string, graph: Graph<Kind>): readonly string[] | null {
  const seen = new Set<string>();
  let paths: readonly (readonly string[])[] = [[name]];
  while (paths.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const path of paths) {
      for (const need of graph.needsOf(path.at(-1) ?? "")) {
        if (need === name) return [...path, need];
        if (!seen.has(need)) longer.push([...path, need]);
        seen.add(need);
      }
    }
    paths = longer;
  }
  return null;
}

function duplicateReason(name: string): string {
  return `there are two plugins named ${name}; the first one is used. Rename or remove the other`;
}

function missingReason(name: string, need: string): string {
  return `${name} needs the plugin ${need}, which is not there; add "${need}" to the character's plugins`;
}

function circleReason(circle: readonly string[]): string {
  return `its dependencies go in a circle: ${circle.join(" → ")}; remove one of them`;
}

/** Why a plugin fails with one it needs. */
export function unusableReason(name: string, need: string): string {
  return `${name} needs the plugin ${need}, which could not be used; see why ${need} failed`;
}
