import type { Character } from "@troupe/core";
import { systemClock } from "@troupe/core/clock";
import { errorMessage } from "@troupe/core/errors";
import { createModels, createOfflineModel, type ModelsDescription } from "@troupe/models";
import type { Config } from "../config.ts";
import { modelSettings } from "../model-settings.ts";
import { broken, doubtful, type Finding, fine } from "./finding.ts";

/** What an agent can do with a special model, and goes without where it has none. */
const purposes = {
  embedding: ["finds memories by meaning", "finds memories by their words alone"],
  imageDescription: ["sees images", "does not see images"],
  transcription: ["hears voice messages", "does not hear voice messages"],
  speech: ["speaks", "does not speak"],
  image: ["draws", "does not draw"],
} as const;

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
    const { small, large, hint, others } = created.describe();
    const kinds = describeKinds(subject, others);
    if (hint !== undefined) return [doubtful(subject, "the offline model answers", hint), ...kinds];
    if (ask.isOffline) return [fine(subject, `${large}, ${small} for short work (not asked)`), ...kinds];
    const checks = await created.check(AbortSignal.timeout(ask.timeoutMs));
    const findings = checks.map((check) =>
      check.isOk
        ? fine(subject, `${check.model} is there and the key is accepted`)
        : broken(subject, check.error.message),
    );
    return [...findings, ...kinds];
  } catch (error) {
    return [broken(subject, errorMessage(error))];
  }
}

function describeKinds(subject: string, others: ModelsDescription["others"]): readonly Finding[] {
  const side = Object.entries(others).filter(([kind]) => !Object.hasOwn(purposes, kind));
  const own = side.map(([kind, id]) => `${id} (${kind})`).join(", ");
  const has: string[] = [];
  const lacks: string[] = [];
  for (const [kind, [can, cannot]] of Object.entries(purposes)) {
    // The entries of a record have its keys.
    const id = others[kind as keyof typeof purposes];
    if (id === undefined) lacks.push(cannot);
    else has.push(`${can} (${id})`);
  }
  const parts = [...(own === "" ? [] : [`besides: ${own}`]), [...has, ...lacks].join("; ")];
  return [fine(subject, parts.join("; "))];
}
