import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Character, Notice } from "@troupe/core";

/** The files and directories a character names as knowledge that are not there, or are not what they are named as. */
export function missingSources(
  { knowledge }: Pick<Character, "knowledge">,
  { path: characterPath, shownPath }: { readonly path: string; readonly shownPath: string },
): readonly Notice[] {
  const from = dirname(characterPath);
  return knowledge.flatMap((source, at): readonly Notice[] => {
    if (source.kind === "text" || source.kind === "url") return [];
    const isFile = source.kind === "file";
    const named = isFile ? source.path : source.directory;
    const path = resolve(from, named);
    const stats = statSync(path, { throwIfNoEntry: false });
    // What is named as a path may be either.
    if (stats?.isDirectory() || (isFile && stats?.isFile())) return [];
    const notice = { file: shownPath, path: `knowledge[${at}].${isFile ? "path" : "directory"}` };
    if (stats)
      return [{ ...notice, message: `${path} is no ${isFile ? "file" : "directory"}`, remedy: "name another one" }];
    const message = `there is no ${isFile ? "file or directory" : "directory"} ${path}`;
    return [
      {
        ...notice,
        message,
        remedy: `paths are relative to the character's file, ${from}; correct it, or put it there`,
      },
    ];
  });
}
