import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ConfigError, errorMessage } from "@troupe/core/errors";

/** Where plugins are looked for. Absolute paths. */
export type PluginPlaces = {
  /** The project's root: its workspace packages, and the packages installed in it. */
  readonly rootPath: string;
  /** The character's file: paths in it begin there. */
  readonly characterPath: string;
};

const endings = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];
const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/**
 * The absolute path of the file a plugin's name stands for: a path (`./weather.ts`, a folder; from the character's file), a
 * workspace package (`@troupe/plugin-weather`, or just `weather`), or a package installed in the project.
 * @throws ConfigError saying what was looked for and the remedy.
 */
export function findPlugin(written: string, places: PluginPlaces): string {
  if (/^\.{1,2}(?:[\\/]|$)/.test(written) || isAbsolute(written)) return findFile(written, places);
  if (!packageName.test(written)) {
    throw refusal(
      `${JSON.stringify(written)} is neither a path nor a package's name; write ./weather.ts, a folder, or a package like @troupe/plugin-trading`,
    );
  }
  const directory = findWorkspacePackage(written, places.rootPath) ?? findInstalled(written, places.rootPath);
  if (directory !== undefined) return entryOf(directory);
  throw refusal(
    `there is no such package: neither in packages/ nor installed; correct the name, or install it with: npm run -s pnpm -- add -w ${written}`,
  );
}

function findFile(written: string, { characterPath, rootPath }: PluginPlaces): string {
  const home = dirname(characterPath);
  const path = resolve(home, written);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw refusal(`there is no file ${path}; correct the path, it begins where the character's file is`);
  // A link may lead elsewhere; a whole path says itself where it leads.
  const isInside = [home, rootPath].some((folder) => contains(realPath(folder), realpathSync(path)));
  if (!isInside && !isAbsolute(written)) {
    throw refusal(
      `it leads out of the project and of the character's folder; write the whole path ${path} if that is meant`,
    );
  }
  if (stats.isDirectory()) return entryOf(path);
  if (endings.some((ending) => path.endsWith(ending))) return path;
  throw refusal(`${path} is no module; name a file that ends in ${endings.join(", ")}`);
}

/** Where a path leads; itself when nothing is there. */
function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** `weather` and `plugin-weather` are short for `@troupe/plugin-weather`. */
function findWorkspacePackage(written: string, rootPath: string): string | undefined {
  const wanted = [written, `@troupe/${written}`, `@troupe/plugin-${written}`];
  const folder = join(rootPath, "packages");
  const directories = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : [];
  const names = new Map(directories.map((directory) => [nameOf(join(folder, directory)), join(folder, directory)]));
  return wanted.map((name) => names.get(name)).find((path) => path !== undefined);
}

function nameOf(directory: string): unknown {
  const path = join(directory, "package.json");
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readPackage(path)["name"] : undefined;
}

function findInstalled(name: string, rootPath: string): string | undefined {
  try {
    const path = findPackageJSON(name, join(rootPath, "package.json"));
    return path === undefined ? undefined : dirname(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** The file a folder stands for: what its package.json exports, else `src/index` or `index`. */
function entryOf(directory: string): string {
  const packagePath = join(directory, "package.json");
  const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile(packagePath)) {
    const { exports: exported, main } = readPackage(packagePath);
    const entry = exportedEntry(exported) ?? (typeof main === "string" ? main : undefined);
    if (entry !== undefined) {
      const path = resolve(directory, entry);
      if (contains(directory, path) && isFile(path)) return path;
      throw refusal(`${packagePath} names ${entry}, which is not there; build the package, or correct its exports`);
    }
  }
  const found = ["src/index", "index"]
    .flatMap((base) => endings.map((ending) => join(directory, base + ending)))
    .find(isFile);
  if (found !== undefined) return found;
  throw refusal(`${directory} has no module; name one under exports in its package.json, or write an index.ts`);
}

/** Conditions under which a package is imported, as Node has them. */
const conditions: readonly string[] = ["node", "import", "module-sync", "default"];

function exportedEntry(exported: unknown): string | undefined {
  if (typeof exported === "string") return exported;
  if (Array.isArray(exported)) return exported.map(exportedEntry).find((entry) => entry !== undefined);
  if (typeof exported !== "object" || exported === null) return undefined;
  for (const [key, value] of Object.entries(exported)) {
    const entry = key === "." || conditions.includes(key) ? exportedEntry(value) : undefined;
    if (entry !== undefined) return entry;
  }
  return undefined;
}

function readPackage(path: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof read === "object" && read !== null ? { ...read } : {};
  } catch (error) {
    throw refusal(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

function refusal(message: string): ConfigError {
  return new ConfigError("not_found", message);
}
