import { type Stats, statSync } from "node:fs";
import type { Config } from "../config.ts";
import { variableNames } from "../variables.ts";
import { doubtful, type Finding, fine } from "./finding.ts";
import { nearestName } from "./nearest-name.ts";

const subject = "settings";

/** Looks at what the environment and `.env` say; a configuration that could be read holds no wrong value any more. */
export function checkSettings(config: Config): readonly Finding[] {
  const { envFile } = config;
  const file = envFile.isThere
    ? `.env read from ${envFile.path}`
    : `no .env at ${envFile.path} (.env.example shows one)`;
  return [
    fine(subject, file),
    ...checkRights(envFile.path, statSync(envFile.path, { throwIfNoEntry: false })),
    ...config.unknownVariables.map(({ name, isFromFile }) => {
      const meant = nearestName(name, variableNames);
      const where = isFromFile ? " in .env" : "";
      const remedy = meant ? `did you mean ${meant}?` : "remove it, or look it up in .env.example";
      return doubtful(subject, `nothing reads the variable ${name}${where}`, remedy);
    }),
  ];
}

function checkRights(path: string, stats: Stats | undefined): readonly Finding[] {
  if (stats === undefined || process.platform === "win32" || (stats.mode & 0o077) === 0) return [];
  return [doubtful(subject, "other users of this machine may read .env", `close it with: chmod 600 ${path}`)];
}
