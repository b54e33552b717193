/** People in examples get these names, in this order; further ones are called "Guest 13" and so on. */
const EXAMPLE_NAMES = ["Robin", "Noor", "Kai", "Mira", "Tomo", "Lena", "Ravi", "Zola", "Emil", "Yara", "Hana", "Otis"];

const AGENT = /\{\{\s*(?:char|character|agent|agentname)\s*\}\}/gi;
const PERSON = /\{\{\s*(?:(?:user|person)_?(\d{0,3})|name_?(\d{1,3}))\s*\}\}/gi;

/** Puts the character's name where a text says `{{char}}` or `{{agentName}}`. */
export function nameAgent(text: string, agentName: string): string {
  return text.replace(AGENT, () => agentName);
}

/**
 * Puts names where an example says `{{user1}}`, `{{name2}}`, `{{user}}` (the first) or `{{char}}`: the same number is the
 * same person in all examples of a character, and nobody is given a name that is taken.
 */
export function nameEverybody(text: string, agentName: string, guests: readonly string[]): string {
  return nameAgent(text, agentName).replace(PERSON, (_placeholder, userDigits?: string, nameDigits?: string) => {
    const position = Math.max(1, Number(userDigits || nameDigits || "1"));
    return guests[position - 1] ?? `Guest ${position}`;
  });
}

/** The names that are free for people in examples, given the ones already spoken for. */
export function freeNames(taken: Iterable<string>): readonly string[] {
  const spokenFor = new Set([...taken].map((name) => name.trim().toLowerCase()));
  return EXAMPLE_NAMES.filter((name) => !spokenFor.has(name.toLowerCase()));
}

/** The placeholders that are still in a text. */
export function placeholdersIn(text: string): readonly string[] {
  return text.match(/\{\{[^{}]{1,60}\}\}/g) ?? [];
}
