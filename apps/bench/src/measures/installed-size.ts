import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Measure, Row } from "../measure.ts";
import { projectPath } from "../project.ts";

/** How much an installation takes on the disk. */
export const installedSize: Measure = {
  name: "installed-size",
  legend:
    "bytes of the files of everything apps/agent needs to run, ours and others', each package once, without Node itself and the development tools. Megabytes of 1,000,000 bytes.",
  async run(): Promise<readonly Row[]> {
    const found = new Set<string>();
    collect(join(projectPath, "apps/agent"), found);
    const sizeBytes = [...found].reduce((sum, path) => sum + bytesIn(path), 0);
    const goal = { type: "at-most", limit: 120 } as const;
    return [{ name: `installed size, ${found.size} packages`, ours: sizeBytes / 1e6, unit: "MB", goal }];
  },
};

type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** Adds the folder of a package and of all it needs in production, by their real paths. */
function collect(folder: string, found: Set<string>): void {
  if (found.has(folder)) return;
  found.add(folder);
  // A package manager wrote or checked it.
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const needed = findPackage(folder, name);
    // Optional ones for other systems are not installed.
    if (needed !== undefined) collect(needed, found);
  }
}

/** Looks for a package as Node does. */
function findPackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? sum : sum + bytesIn(path);
    return sum + lstatSync(path).size;
  }, 0);
}
