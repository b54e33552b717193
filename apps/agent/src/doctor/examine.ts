import { errorMessage } from "@troupe/core/errors";
import type { CommandContext, LoadedCharacter } from "../commands/context.ts";
import { checkCharacters } from "./check-characters.ts";
import { checkDatabase, checkHome } from "./check-home.ts";
import { checkModels } from "./check-models.ts";
import { checkSettings } from "./check-settings.ts";
import { checkSystem } from "./check-system.ts";
import { broken, type Finding } from "./finding.ts";

/** How thorough a look is. */
export type Thoroughness = { readonly isOffline: boolean; readonly isDeep: boolean; readonly timeoutMs: number };

/** Looks at everything an agent needs: the system, settings, home, database, characters and the models of those in use. */
export async function examineAll(
  context: Omit<CommandContext, "out" | "err">,
  { isOffline, isDeep, timeoutMs }: Thoroughness,
): Promise<readonly Finding[]> {
  const system = checkSystem(process.versions);
  const settings = examineSettings(context);
  // Without settings there is neither a home nor a model to look at.
  if (settings.some(({ state }) => state === "broken")) return [...system, ...settings];
  const { home, config } = context;
  const inUse = await context.loadCharacters();
  const known = await context.loadCharacters(await context.listCharacterFiles());
  const characters = inUse.flatMap(({ reading }) => (reading.ok ? [reading.character] : []));
  const models = characters.map((character) => checkModels(config, character, { isOffline, timeoutMs }));
  return [
    ...system,
    ...settings,
    ...(await checkHome(home)),
    ...(await checkDatabase(home, context.openStoreReadOnly, isDeep)),
    ...(await checkCharacters(distinct([...inUse, ...known]), context.config.rootPath)),
    ...(await Promise.all(models)).flat(),
  ];
}

function examineSettings(context: Omit<CommandContext, "out" | "err">): readonly Finding[] {
  try {
    return checkSettings(context.config);
  } catch (error) {
    return [broken("settings", errorMessage(error))];
  }
}

function distinct(loaded: readonly LoadedCharacter[]): readonly LoadedCharacter[] {
  return [...new Map(loaded.map((one) => [one.path, one])).values()];
}
