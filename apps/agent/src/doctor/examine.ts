import { ConfigError, errorMessage } from "@troupe/core/errors";
import { platforms } from "../clients/platforms.ts";
import type { CommandContext, LoadedCharacter } from "../commands/context.ts";
import type { HomePaths } from "../home/home.ts";
import { lookAtLock } from "../home/lock.ts";
import { checkCharacters } from "./check-characters.ts";
import { checkDatabase, checkHome } from "./check-home.ts";
import { checkModels } from "./check-models.ts";
import { checkPlatforms } from "./check-platforms.ts";
import { checkSettings } from "./check-settings.ts";
import { checkSystem } from "./check-system.ts";
import { broken, type Finding } from "./finding.ts";

/** How thorough a look is. */
export type Thoroughness = { readonly isOffline: boolean; readonly isDeep: boolean; readonly timeoutMs: number };

/** Looks at everything an agent needs: the system, settings, home, database, characters, and the models and accounts of those in use. */
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
  const asked = { platforms, config, isOffline, isRunning: isHeld(home), timeoutMs };
  const accounts = checkPlatforms(characters, asked);
  return [
    ...system,
    ...settings,
    ...(await checkHome(home)),
    ...(await checkDatabase(home, context.openStoreReadOnly, isDeep)),
    ...(await checkCharacters(distinct([...inUse, ...known]), context.config.rootPath)),
    ...(await Promise.all([...models, accounts])).flat(),
  ];
}

/** What is wrong with the lock is told where the home is looked at. */
function isHeld(home: HomePaths): boolean {
  try {
    return lookAtLock(home).isHeld;
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
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
