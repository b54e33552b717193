import type { Character } from "../character/character.ts";
import { escapeMessageText, escapeName } from "./escape.ts";

/** What the character writes: words in a conversation, or posts for everybody. */
export type Writing = "chat" | "post";

/** Who the character is, as the stable beginning of a prompt. The same character gives the same text, to the letter. */
export function characterText(character: Character, writing: Writing = "chat"): string {
  const { name } = character;
  return [
    section(`About ${name}`, character.bio.join("\n")),
    section("Lore", bullets(character.lore)),
    section("Topics", character.topics.join(", ")),
    section("Style", bullets(styleLines(character, writing))),
    examples(character, writing),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The rules of style for what is written, one a line. */
export function styleLines({ adjectives, style }: Character, writing: Writing): readonly string[] {
  const words = adjectives.length > 0 ? [`In a word: ${adjectives.join(", ")}.`] : [];
  return [...words, ...style.all, ...(writing === "post" ? style.post : style.chat)];
}

function section(title: string, body: string): string {
  return body.trim() === "" ? "" : `# ${title}\n${body}`;
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Posts are learnt from posts; a character that has none to show talks in posts as it does in conversations. */
function examples(character: Character, writing: Writing): string {
  const { name, postExamples } = character;
  if (writing === "post" && postExamples.length > 0) {
    return section(`How ${name} posts`, bullets(postExamples.map((post) => post.replaceAll("\n", "\n  "))));
  }
  return section(`How ${name} talks`, conversations(character));
}

function conversations(character: Character): string {
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
