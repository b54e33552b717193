/** What the people of a town are made of. */
export type TownOptions = {
  /** At least 0, below 1, as `Math.random`; decides who does what. */
  readonly random: () => number;
  /** What they talk about; the weather and the like when absent. */
  readonly topics?: readonly string[];
};

/** The words of a town's people, and the chances by which they choose. */
export type TownTalk = {
  /** At least 0, below 1. */
  chance(): number;
  /** @throws Error when there is nothing to choose from. */
  pick<T>(items: readonly T[]): T;
  topic(): string;
  /** Says something to everybody: a whole sentence. */
  remark(): string;
  /** Asks somebody something: begins in lower case, so that a name may stand before it. */
  question(): string;
  /** Says something to what somebody said: a whole sentence. */
  answer(): string;
};

const names = [
  ["Bo", "Beth", "Carl", "Dora", "Emil", "Finn", "Gita", "Hugo", "Iris", "Jack", "Kira", "Lars", "Mona"],
  ["Nils", "Olga", "Paul", "Quin", "Rosa", "Sven", "Tara", "Udo", "Vera", "Walt", "Xena", "Yuri", "Zoe"],
].flat();
const usualTopics = ["the weather", "a good book", "coffee", "old boats", "the moon", "soup", "gardens", "chess"];
const remarks = ["I keep thinking about", "Nobody talks enough about", "Today was all about", "Let me tell you about"];
const questions = ["what do you think about", "have you heard about", "do you know anything about"];
const answers = ["I could not agree more", "I am not so sure", "Tell me more", "That made me smile"];

/** The first names of the first so many people, 0 to 26; the same in every town. */
export function townNames(count: number): readonly string[] {
  return names.slice(0, count);
}

/** Makes the talk of a town; the same chances give the same words. */
export function createTownTalk({ random, topics = usualTopics }: TownOptions): TownTalk {
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined)
      throw new Error("there is nothing to choose from: give the town topics and the simulator a bot");
    return item;
  };
  return {
    chance: random,
    pick,
    topic: () => pick(topics),
    remark: () => `${pick(remarks)} ${pick(topics)}.`,
    question: () => `${pick(questions)} ${pick(topics)}?`,
    answer: () => `${pick(answers)}.`,
  };
}
