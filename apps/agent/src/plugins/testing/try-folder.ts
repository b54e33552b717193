import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootPath } from "../../config.ts";

/** An empty folder in which packages of the project can be imported as if they were installed. */
export function createTryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "try-")));
  mkdirSync(join(folder, "node_modules", "@troupe"), { recursive: true });
  symlinkSync(join(rootPath, "packages", "core"), join(folder, "node_modules", "@troupe", "core"), "junction");
  for (const name of ["vitest", "@types"]) {
    symlinkSync(join(rootPath, "node_modules", name), join(folder, "node_modules", name), "junction");
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "devDependencies": { "vitest": "5.1.0" } }\n');
  const configuration = { extends: join(rootPath, "tsconfig.json"), include: ["**/*.ts"], exclude: ["node_modules"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(configuration));
  return folder;
}

/** What a tool of the project said about a folder. */
export type Said = { readonly status: number | null; readonly output: string };

/** Runs all tests in the folder. */
export function runTests(folder: string): Said {
  return run(folder, join(rootPath, "node_modules", "vitest", "vitest.mjs"), ["run", "--root", folder]);
}

/** What is wrong with the types of the folder's own files, a line each. */
export function findTypeErrors(folder: string): readonly string[] {
  const script = join(rootPath, "node_modules", "typescript", "bin", "tsc");
  const { output } = run(folder, script, ["--noEmit", "--pretty", "false", "-p", folder]);
  return output.split("\n").filter((line) => line !== "" && !/^[.][.]|^\s/.test(line));
}

function run(cwd: string, script: string, args: readonly string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}
