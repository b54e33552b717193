import { ValidationError } from "../errors.ts";
import type { Plugin } from "./plugin.ts";

/** An extension as its author writes it: `install` is a plugin's `init`. */
export type ExtensionOptions = Omit<Plugin, "init"> & { readonly install?: NonNullable<Plugin["init"]> };

const lists = [
  "contexts",
  "inputs",
  "outputs",
  "actions",
  "services",
  "providers",
  "evaluators",
  "extensions",
] as const;

/**
 * A bundle of contexts, inputs, outputs, actions and services. It is a plugin, and used as one: by itself, or among a plugin's
 * `extensions`. @throws ValidationError naming what is wrong with it and the remedy.
 */
export function extension({ install, ...rest }: ExtensionOptions): Plugin {
  const { name } = rest;
  if (typeof name !== "string" || name.trim() === "") {
    throw new ValidationError('An extension has no name; give it one, as in name: "calendar".');
  }
  const problems = lists
    .filter((list) => rest[list] !== undefined && !Array.isArray(rest[list]))
    .map((list) => `its ${list} are no list`);
  if (install !== undefined && typeof install !== "function") problems.push("its install is no function");
  if (problems.length > 0) throw new ValidationError(`The extension ${name} cannot be used: ${problems.join("; ")}.`);
  return { ...rest, ...(install && { init: install }) };
}

/** Plugins with what they bring along before them, each bundle once; a plugin depends on its extensions. */
export function withExtensions(plugins: readonly Plugin[]): readonly Plugin[] {
  const all: Plugin[] = [];
  const seen = new Set<Plugin>();
  const visit = (plugin: Plugin): void => {
    if (seen.has(plugin)) return;
    seen.add(plugin);
    const { extensions = [], dependencies = [] } = plugin;
    for (const one of extensions) visit(one);
    const names = extensions.map(({ name }) => name);
    all.push(names.length === 0 ? plugin : { ...plugin, dependencies: [...new Set([...dependencies, ...names])] });
  };
  for (const plugin of plugins) visit(plugin);
  return all;
}
