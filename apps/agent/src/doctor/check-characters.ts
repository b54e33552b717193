import type { Notice } from "@troupe/core";
import type { LoadedCharacter } from "../commands/context.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** Looks at character files: what keeps them from being used, what should be known about them, plugins that are missing. */
export function checkCharacters(loaded: readonly LoadedCharacter[]): readonly Finding[] {
  return loaded.flatMap(({ shownPath, reading }) => {
    const notices = reading.notices.map((notice) => doubtful(shownPath, placed(notice), notice.remedy));
    if (!reading.ok) {
      return [...reading.problems.map((problem) => broken(shownPath, placed(problem), problem.remedy)), ...notices];
    }
    const missing = reading.character.plugins.map((plugin) =>
      doubtful(shownPath, `the plugin ${plugin} does not exist here, so it is left out`, "remove it under plugins"),
    );
    return [fine(shownPath, `${reading.character.name} is ready`), ...missing, ...notices];
  });
}

function placed({ path, message }: Notice): string {
  return path === "" ? message : `${path}: ${message}`;
}
