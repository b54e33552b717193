import type { Character } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { errorMessage } from "@troupe/core/errors";
import { createModels, createOfflineModel } from "@troupe/models";
import type { Config } from "../config.ts";
import { modelSettings } from "../model-settings.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** Looks at the models of a character; unless `isOffline`, each provider is asked once whether key and name are good. */
export async function checkModels(
  config: Config,
  character: Character,
  ask: { readonly isOffline: boolean; readonly timeoutMs: number },
): Promise<readonly Finding[]> {
  const subject = `models of ${character.name}`;
  try {
    const created = createModels(modelSettings(config, character), {
      offline: createOfflineModel,
      clock: systemClock,
      random: Math.random,
    });
    const { small, large, hint } = created.describe();
    if (hint !== undefined) return [doubtful(subject, "the offline model answers", hint)];
    if (ask.isOffline) return [fine(subject, `${large}, ${small} for short work (not asked)`)];
    const checks = await created.check(AbortSignal.timeout(ask.timeoutMs));
    return checks.map((check) =>
      check.isOk
        ? fine(subject, `${check.model} is there and the key is accepted`)
        : broken(subject, check.error.message),
    );
  } catch (error) {
    return [broken(subject, errorMessage(error))];
  }
}
