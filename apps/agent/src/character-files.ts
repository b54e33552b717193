import { readdirSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { CharacterReading } from "@troupe/core";
import { parseCharacter } from "@troupe/core/character";
import { errorMessage } from "@troupe/core/errors";
import type { LoadedCharacter } from "./commands/context.ts";

/** Where character files are looked for. */
export type CharacterPlaces = { readonly rootPath: string; readonly workingPath: string };

const suffix = ".character.json";
const largestBytes = 4_000_000;

/** The character that is taken when nobody names one. */
export const defaultCharacter = "characters/ada.character.json";

/** The absolute paths of all files in the project's `characters/`, in alphabetical order; none when it is not there. */
export function listCharacterFiles({ rootPath }: CharacterPlaces): readonly string[] {
  const directory = join(rootPath, "characters");
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith(suffix));
  return names.sort().map((name) => join(directory, name));
}

/**
 * Reads one character file. `written` is a path, from where the user stands or from the project's root, or just the name
 * of one in `characters/`. Never throws: what is wrong with the file is the reading's problem.
 */
export function loadCharacter(written: string, places: CharacterPlaces): LoadedCharacter {
  const path = findFile(written, places);
  const shownPath = showPath(path, places.workingPath);
  return { path, shownPath, reading: readFile(path, shownPath) };
}

function findFile(written: string, { rootPath, workingPath }: CharacterPlaces): string {
  const first = resolve(workingPath, written);
  const candidates = [first, resolve(rootPath, written), join(rootPath, "characters", `${written}${suffix}`)];
  return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) ?? first;
}

function showPath(path: string, from: string): string {
  const short = relative(from, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}

function readFile(path: string, source: string): CharacterReading {
  try {
    const sizeBytes = statSync(path).size;
    if (sizeBytes > largestBytes)
      return unreadable(source, "The file is far too large for a character", "Name a character file.");
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    return parseCharacter(text, { source });
  } catch (error) {
    if (error instanceof TypeError) return unreadable(source, "The file is not UTF-8 text", "Save it as UTF-8.");
    return unreadable(source, ...describeFailure(error));
  }
}

function describeFailure(error: unknown): readonly [message: string, remedy: string] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT")
    return ["There is no such file", "Correct the path; `troupe characters` lists those in characters/."];
  if (code === "EISDIR") return ["This is a directory", `Name a file in it that ends in ${suffix}.`];
  if (code === "EACCES" || code === "EPERM") return ["The file may not be read by this user", "Correct its rights."];
  return [`The file cannot be read (${errorMessage(error)})`, "Check the file and its disk."];
}

function unreadable(file: string, message: string, remedy: string): CharacterReading {
  return { ok: false, problems: [{ file, path: "", message, remedy }], notices: [] };
}
