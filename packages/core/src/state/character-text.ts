import type { Character } from "../character/character.ts";
import { escapeMessageText, escapeName } from "./escape.ts";

/** Who the character is, as the stable beginning of a prompt. The same character gives the same text, to the letter. */
export function characterText(character: Character): string {
  const { name } = character;
  return [
    section(`About ${name}`, character.bio.join("\n")),
    section("Lore", bullets(character.lore)),
    section("Topics", character.topics.join(", ")),
    section("Style", styleLines(character)),
    section(`How ${name} talks`, examples(character)),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function section(title: string, body: string): string {
  return body.trim() === "" ? "" : `# ${title}\n${body}`;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

function styleLines(character: Character): string {
  const { adjectives, style } = character;
  const words = adjectives.length > 0 ? [`In a word: ${adjectives.join(", ")}.`] : [];
  return bullets([...words, ...style.all, ...style.chat]);
}

function examples(character: Character): string {
  return character.messageExamples
    .map((example) =>
      example
        .map(({ name, content }) =>
          name === character.name
            ? `${name}: ${content.text}`
            : `<message from="${escapeName(name)}">${escapeMessageText(content.text)}</message>`,
        )
        .join("\n"),
    )
    .join("\n\n");
}
