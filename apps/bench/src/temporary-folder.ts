import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectPath } from "./project.ts";

const parent = join(projectPath, "node_modules/.cache");

/** Gives `work` a folder of its own, on the disk where the project keeps its data; it is gone afterwards. */
export async function withFolder<Result>(work: (path: string) => Promise<Result>): Promise<Result> {
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, "bench-"));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
