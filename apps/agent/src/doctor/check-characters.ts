import type { Notice } from "@troupe/core";
import type { LoadedCharacter } from "../commands/context.ts";
import { loadPlugins } from "../plugins/load-plugin.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** Looks at character files: what keeps them from being used, what should be known about them, plugins that are missing. */
export async function checkCharacters(
  loaded: readonly LoadedCharacter[],
  rootPath: string,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(loaded.map((character) => checkCharacter(character, rootPath)));
  return findings.flat();
}

async function checkCharacter(
  { path, shownPath, reading }: LoadedCharacter,
  rootPath: string,
): Promise<readonly Finding[]> {
  const notices = reading.notices.map((notice) => doubtful(shownPath, placed(notice), notice.remedy));
  if (!reading.ok) {
    return [...reading.problems.map((problem) => broken(shownPath, placed(problem), problem.remedy)), ...notices];
  }
  const { character } = reading;
  const { failures, warnings } = await loadPlugins({ rootPath, characterPath: path, character });
  const missing = failures.map(({ reason }) => doubtful(shownPath, reason, "correct or remove it under plugins"));
  const odd = warnings.map((warning) => doubtful(shownPath, warning, "correct the plugin"));
  return [fine(shownPath, `${character.name} is ready`), ...missing, ...odd, ...notices];
}

function placed({ path, message }: Notice): string {
  return path === "" ? message : `${path}: ${message}`;
}
