import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Character, Notice } from "@troupe/core";
import { characterJsonSchema } from "@troupe/core/character";
import { ConfigError } from "@troupe/core/errors";
import { printableLine } from "@troupe/core/explain";
import { deriveAgentId } from "@troupe/core/memory";
import type { CommandContext, LoadedCharacter } from "../commands/context.ts";
import { missingSources } from "../knowledge/missing-sources.ts";
import type { Column } from "./table.ts";
import { writeJson, writeTable } from "./write.ts";

type Flags = { readonly json?: boolean };
type ListedCharacter = { readonly loaded: LoadedCharacter; readonly isConfigured: boolean };

/** Lists the files in `characters/` and those that are configured. */
export async function listCharacters(context: CommandContext, flags: Flags): Promise<void> {
  const configured = await context.loadCharacters();
  const folder = await context.loadCharacters(await context.listCharacterFiles());
  const paths = new Set(configured.map(({ path }) => path));
  const rows = [
    ...configured.map((loaded) => ({ loaded, isConfigured: true })),
    ...folder.filter(({ path }) => !paths.has(path)).map((loaded) => ({ loaded, isConfigured: false })),
  ];
  if (flags.json) return writeJson(context, rows.map(toJson));
  const columns: readonly Column<ListedCharacter>[] = [
    { heading: "name", text: ({ loaded }) => characterOf(loaded)?.name ?? "?", leastWidth: 8 },
    { heading: "file", text: ({ loaded }) => loaded.shownPath, leastWidth: 16 },
    { heading: "model", text: ({ loaded }) => modelOf(characterOf(loaded)), leastWidth: 8, isMinor: true },
    {
      heading: "platforms",
      text: ({ loaded }) => platformsOf(characterOf(loaded)).join(", "),
      leastWidth: 8,
      isMinor: true,
    },
    { heading: "state", text: ({ loaded, isConfigured }) => stateOf(loaded) + (isConfigured ? ", in use" : "") },
  ];
  const empty = "There are no characters. Write characters/NAME.character.json; see: troupe characters schema";
  writeTable(context, columns, { rows, empty });
}

function characterOf({ reading }: LoadedCharacter): Character | null {
  return reading.ok ? reading.character : null;
}

function modelOf(character: Character | null): string {
  const { models, modelProvider } = character?.settings ?? {};
  const large = models?.large;
  const name = typeof large === "string" ? large : large?.model;
  if (name === undefined) return modelProvider ?? (character ? "from the environment" : "");
  return modelProvider === undefined || name.includes(":") ? name : `${modelProvider}:${name}`;
}

function platformsOf(character: Character | null): readonly string[] {
  const platforms = Object.entries(character?.platforms ?? {});
  return platforms.flatMap(([platform, settings]) => (settings.enabled === false ? [] : [platform]));
}

function stateOf({ reading }: LoadedCharacter): string {
  if (!reading.ok) return count(reading.problems.length, "mistake");
  return reading.notices.length === 0 ? "valid" : `valid, ${count(reading.notices.length, "remark")}`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

function toJson({ loaded, isConfigured }: ListedCharacter): unknown {
  const character = characterOf(loaded);
  return {
    file: loaded.shownPath,
    path: loaded.path,
    isConfigured,
    isValid: loaded.reading.ok,
    name: character?.name ?? null,
    agentId: character ? deriveAgentId(character) : null,
    model: character ? modelOf(character) : null,
    platforms: platformsOf(character),
    problems: loaded.reading.ok ? [] : loaded.reading.problems,
    notices: loaded.reading.notices,
  };
}

const suffix = ".character.json";

/** Checks character files, or all in a directory; without any, those of `characters/`. Mistakes end with exit code 1. */
export async function validateCharacters(
  context: CommandContext,
  files: readonly string[],
  flags: Flags,
): Promise<void> {
  const paths =
    files.length === 0
      ? await context.listCharacterFiles()
      : files.flatMap((file) => expandDirectory(file, context.config.workingPath));
  const loaded = (await context.loadCharacters(paths)).map(withMissingSources);
  if (loaded.some(({ reading }) => !reading.ok)) context.setExitCode(1);
  if (flags.json)
    return writeJson(
      context,
      loaded.map((one) => toJson({ loaded: one, isConfigured: false })),
    );
  if (loaded.length === 0) context.out.write("There is no character file to check; name one.\n");
  for (const one of loaded) context.out.write(renderReading(one));
}

/** @throws ConfigError when a directory holds no character file. */
function expandDirectory(file: string, workingPath: string): readonly string[] {
  const path = resolve(workingPath, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [file];
  const names = readdirSync(path).filter((name) => name.endsWith(suffix));
  if (names.length > 0) return names.sort().map((name) => join(path, name));
  throw new ConfigError("not_found", `the directory ${file} holds no file that ends in ${suffix}`);
}

/** A character whose knowledge is not there works, without it. */
function withMissingSources(loaded: LoadedCharacter): LoadedCharacter {
  const { reading } = loaded;
  if (!reading.ok) return loaded;
  const notices = [...reading.notices, ...missingSources(reading.character, loaded)];
  return { ...loaded, reading: { ...reading, notices } };
}

const forms = { troupe: "", "eliza-v0": ", in Eliza's old form", "eliza-v1": ", in Eliza's form" } as const;

function renderReading({ shownPath, reading }: LoadedCharacter): string {
  const notices = reading.notices.map((notice) => renderFinding("!", notice));
  if (!reading.ok) {
    const problems = reading.problems.map((problem) => renderFinding("✗", problem));
    return `✗ ${printableLine(shownPath)}: cannot be used\n${[...problems, ...notices].join("")}`;
  }
  return `✓ ${printableLine(shownPath)}: ${printableLine(reading.character.name)}${forms[reading.form]}\n${notices.join("")}`;
}

function renderFinding(mark: string, { file, path, message, remedy, at }: Notice): string {
  const place = at ? `${file}:${at.line}:${at.column}` : file;
  const where = path === "" ? place : `${place}: ${path}`;
  return `  ${mark} ${printableLine(where)}: ${printableLine(message)}\n    → ${printableLine(remedy)}\n`;
}

/**
 * Prints a character as the engine sees it, as JSON. Secrets are named, never shown.
 * @throws ConfigError `invalid` with every mistake of the file.
 */
export async function showCharacter(context: CommandContext, file: string): Promise<void> {
  const [loaded] = await context.loadCharacters([file]);
  if (!loaded) throw new ConfigError("not_found", `there is no character ${file}`);
  const { reading } = loaded;
  if (!reading.ok) {
    context.err.write(renderReading(loaded));
    context.setExitCode(1);
    return;
  }
  const { character } = reading;
  const secrets = Object.fromEntries(Object.keys(character.secrets).map((name) => [name, "[secret]"]));
  writeJson(context, { agentId: deriveAgentId(character), ...character, secrets });
}

/** Prints the form of a character file as JSON Schema. */
export function showCharacterSchema(context: CommandContext): void {
  writeJson(context, characterJsonSchema());
}
