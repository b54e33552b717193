import type { Scene } from "./scene.ts";
import { plainWords } from "./words.ts";

/** Whether the character should speak, as the bracketed word a decision prompt asks for. */
export function decideScene(scene: Scene): "[RESPOND]" | "[IGNORE]" | "[STOP]" {
  const last = scene.prompt.turns.at(-1);
  if (last === undefined || last.isAgent) return "[IGNORE]";
  const spoken = ` ${plainWords(last.text.slice(0, 4_000))} `;
  const name = plainWords(scene.prompt.character.name);
  const isNamed = name !== "" && spoken.includes(` ${name} `);
  const wasTalking = scene.prompt.turns.at(-2)?.isAgent === true;
  const others = new Set(
    scene.prompt.turns
      .filter((turn) => !turn.isAgent && turn.speaker !== last.speaker)
      .map((turn) => plainWords(turn.speaker)),
  );
  const addressesOther = [...others].some((other) => other !== "" && other !== name && spoken.startsWith(` ${other} `));
  if (scene.intents.includes("quiet") && !addressesOther) return "[STOP]";
  if (isNamed) return "[RESPOND]";
  if (addressesOther) return "[IGNORE]";
  const isPair = scene.prompt.turns.some((turn) => turn.isAgent) && others.size === 0;
  const isGreeted = scene.intents.includes("greeting");
  return scene.isQuestion || isGreeted || isPair || (wasTalking && scene.intents.length > 0) ? "[RESPOND]" : "[IGNORE]";
}
