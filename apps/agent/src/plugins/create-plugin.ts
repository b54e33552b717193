import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ConfigError, errorMessage } from "@troupe/core/errors";
import type { CommandContext } from "../commands/context.ts";
import { type PluginNames, pluginFiles } from "./plugin-template.ts";

type Context = {
  readonly config: Pick<CommandContext["config"], "rootPath" | "workingPath">;
  readonly out: CommandContext["out"];
};

const nameForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const longestName = 40;

/**
 * Writes the folder of a new plugin and says what to do with it.
 * @throws ConfigError when the name is none, something is there already, or the folder cannot be written.
 */
export function createPlugin(
  { config, out }: Context,
  written: string,
  { directory }: { readonly directory?: string },
): void {
  const names = toNames(written);
  const packages = join(config.rootPath, "packages");
  const parent = directory === undefined ? packages : resolve(config.workingPath, directory);
  const folder = join(parent, `plugin-${names.name}`);
  const isInWorkspace = parent === packages;
  const files = pluginFiles(names, {
    core: isInWorkspace ? "workspace:*" : `link:${relative(folder, join(packages, "core")).split(sep).join("/")}`,
    ...(!isInWorkspace && { vitest: vitestVersion(config.rootPath) }),
  });
  writeAll(folder, files);
  const shown = isInWorkspace ? `packages/plugin-${names.name}` : folder;
  const pnpm = "npm run -s pnpm --";
  const tests = isInWorkspace
    ? `${pnpm} exec vitest run ${shown}`
    : `${pnpm} --dir ${shown} --ignore-workspace install && ${pnpm} --dir ${shown} exec vitest run`;
  out.write(`Wrote ${shown}: ${[...files.keys()].join(", ")}

Try it:  ${tests}
Use it:  "plugins": [${JSON.stringify(isInWorkspace ? names.packageName : folder)}] in a character's file
Read on: docs/plugins.md
`);
}

function toNames(written: string): PluginNames {
  const name = written.replace(/^(?:@troupe\/)?plugin-/, "");
  if (!nameForm.test(name) || name.length > longestName) {
    throw new ConfigError(
      "invalid",
      `${JSON.stringify(written.slice(0, 80))} is no name for a plugin; use up to ${longestName} small letters, digits and single hyphens, the first a letter, as in weather-report`,
    );
  }
  const camelCase = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return { name, packageName: `@troupe/plugin-${name}`, camelCase, upperCase: name.toUpperCase().replaceAll("-", "_") };
}

function vitestVersion(rootPath: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(rootPath, "package.json"), "utf8"));
  return String(devDependencies.vitest);
}

function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found && (!found.isDirectory() || readdirSync(folder).length > 0)) {
    throw new ConfigError("invalid", `${folder} is there already; take another name, or remove it first`);
  }
  try {
    for (const [path, text] of files) {
      const whole = join(folder, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text, { flag: "wx" });
    }
  } catch (error) {
    throw new ConfigError(
      "invalid",
      `${folder} cannot be written (${errorMessage(error)}); choose another --directory`,
    );
  }
}
