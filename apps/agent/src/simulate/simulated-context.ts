import { join } from "node:path";
import type { Character } from "@troupe/core";
import { platforms } from "../clients/platforms.ts";
import type { CommandContext, LoadedCharacter } from "../commands/context.ts";
import { homePaths } from "../home/home.ts";
import type { Stage } from "./stage.ts";

/**
 * The same context on simulated platforms alone: the characters are the stages' bots and nobody anywhere else, their home is
 * one of its own, and what is sent is sent.
 */
export function simulatedContext(
  context: CommandContext,
  loaded: readonly LoadedCharacter[],
  stages: readonly Stage[],
): CommandContext {
  const { config } = context;
  const { NO_COLOR, ...values } = config.values;
  const own = stages.map(({ variables }) => variables);
  const dry = { TROUPE_DRY_RUN: undefined, TWITTER_DRY_RUN: undefined, TELEGRAM_WEBHOOK_URL: undefined };
  const homePath = context.flags.home === undefined ? join(config.homePath, "simulation") : config.homePath;
  return {
    ...context,
    config: { ...config, homePath, values: Object.assign({ ...values, NO_COLOR, ...dry }, ...own) },
    home: homePaths(homePath),
    loadCharacters: async () => loaded.flatMap((one) => onStages(one, stages)),
  };
}

/** The character with the credentials of its bots, and kept away from every platform that is not simulated. */
function onStages(loaded: LoadedCharacter, stages: readonly Stage[]): readonly LoadedCharacter[] {
  const { reading } = loaded;
  // What is wrong with it was told when it was chosen.
  if (!reading.ok) return [];
  const { character } = reading;
  const settings = platforms.map(({ name }) => {
    const stage = stages.find(({ platform }) => platform === name);
    const isThere = botOf(character, stage) !== undefined;
    return [name, { ...character.platforms[name], ...stage?.settings, enabled: isThere }] as const;
  });
  const credentials = stages.flatMap((stage) => Object.entries(botOf(character, stage)?.credentials ?? {}));
  const simulated = {
    ...character,
    secrets: { ...character.secrets, ...Object.fromEntries(credentials) },
    platforms: { ...character.platforms, ...Object.fromEntries(settings) },
  };
  return [{ ...loaded, reading: { ...reading, character: simulated, notices: [] } }];
}

function botOf({ name }: Character, stage: Stage | undefined): Stage["bots"][number] | undefined {
  return stage?.bots.find((bot) => bot.name === name);
}
