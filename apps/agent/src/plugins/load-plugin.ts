import { pathToFileURL } from "node:url";
import type { Plugin, PluginFailure } from "@troupe/core";
import { errorMessage, TroupeError } from "@troupe/core/errors";
import { findPlugin, type PluginPlaces } from "./find-plugin.ts";
import { readPlugin } from "./plugin-shape.ts";
import { letPluginsImportCore } from "./resolve-core.ts";

/** A character's plugins, as far as they can be used. */
export type LoadedPlugins = {
  readonly plugins: readonly Plugin[];
  /** By the names the character calls them. */
  readonly failures: readonly PluginFailure[];
  /** What their authors should know, one sentence each. */
  readonly warnings: readonly string[];
};

/** Whose plugins are loaded, and from where. */
export type LoadParts = PluginPlaces & {
  readonly character: { readonly name: string; readonly plugins: readonly string[] };
  /** Plugins that come with the program, by their names. */
  readonly builtIn?: Readonly<Record<string, () => Promise<Plugin> | Plugin>>;
};

/**
 * Loads what a character names under `plugins`, in that order: built-in names first, then paths, workspace packages and
 * installed packages. One that cannot be loaded is named with the character and the remedy; the others go on. Never throws.
 */
export async function loadPlugins(parts: LoadParts): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const failures: PluginFailure[] = [];
  const warnings: string[] = [];
  for (const written of new Set(parts.character.plugins)) {
    try {
      const { plugin, ignored } = await loadOne(written, parts);
      plugins.push(plugin);
      if (ignored.length > 0) warnings.push(`the plugin ${written} has members nothing reads: ${ignored.join(", ")}`);
    } catch (error) {
      failures.push({ plugin: written, reason: describe(written, parts.character.name, error) });
    }
  }
  return { plugins, failures, warnings };
}

type Loaded = { readonly plugin: Plugin; readonly ignored: readonly string[] };

async function loadOne(written: string, parts: LoadParts): Promise<Loaded> {
  const { builtIn = {} } = parts;
  const own = Object.hasOwn(builtIn, written) ? builtIn[written] : undefined;
  if (own) return { plugin: await own(), ignored: [] };
  const path = findPlugin(written, parts);
  letPluginsImportCore();
  const exported: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
  const reading = readPlugin(exported);
  if (!reading.ok) throw new TroupeError("invalid", reading.reason);
  return reading;
}

/** Whatever its code threw is told by its message; what we refuse says its remedy itself. */
function describe(written: string, character: string, error: unknown): string {
  const why =
    error instanceof TroupeError
      ? errorMessage(error)
      : `its code cannot be loaded: ${errorMessage(error)}${remedyOf(error)}`;
  return `The plugin ${written} of ${character}: ${why}`;
}

function remedyOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ERR_MODULE_NOT_FOUND":
      return "; install what it needs with: npm run -s pnpm -- install";
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return "; an installed package must bring JavaScript: build it";
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return "; write it without enums, namespaces and parameter properties";
    default:
      return "; correct it";
  }
}
