import type { Character } from "../character/character.ts";
import { characterText } from "./character-text.ts";
import type { RegisteredProvider } from "./provider.ts";

/** The sources every character has: who it is, and what time it is. */
export function builtInProviders(character: Character): readonly RegisteredProvider[] {
  const about = characterText(character);
  return [
    {
      name: "CHARACTER",
      position: -200,
      isStable: true,
      get: () => ({ text: about, values: { agentName: character.name } }),
    },
    {
      name: "TIME",
      position: 1_000,
      get({ now }) {
        const text = timeText(now);
        return { text: `<now>${text}</now>`, values: { now: text } };
      },
    },
  ];
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** `Friday, 2026-11-20 18:30 UTC`. */
function timeText(now: number): string {
  const date = new Date(now);
  return `${weekdays[date.getUTCDay()]}, ${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
