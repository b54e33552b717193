const lines = [
  "Did you see how low the river is this week, down by the mill?",
  "I did. One could nearly walk to the island without wet feet.",
  "My brother says the old bridge will be closed from Monday on.",
  "Then I shall take the ferry, and bring a book for the queue.",
  "What would you read on a ferry, if you had one hour and tea?",
  "Something with short chapters, so that I get off in time. You?",
  "A timetable, honestly. I like to know when things come back.",
  "That is the most sensible poem anybody has told me this week.",
  "Could you remind me what we said about the bread yesterday?",
  "More water, less hurry, and leave the oven door alone for once.",
] as const;

/** What people say to each other in about sixty characters, each line different from the one before. */
export function lineOf(number: number): string {
  const line = lines[number % lines.length] ?? lines[0];
  return `${line.slice(0, 56)} ${String(number % 1_000).padStart(3, "0")}`;
}
