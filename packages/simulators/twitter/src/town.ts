import type { SimulatedUser } from "./simulated-user.ts";
import type { TwitterSimulator } from "./twitter-simulator.ts";
import type { Post } from "./world/world.ts";

/** Who lives in a town, and about what they talk. */
export type TownOptions = {
  /** 0 up to 1, as `Math.random`; decides who does what. */
  readonly random: () => number;
  /** How many people there are, 1 to 26; 8 when absent. */
  readonly people?: number;
  /** What they talk about; the weather and the like when absent. */
  readonly topics?: readonly string[];
};

/** What somebody in a town did. */
export type TownEvent = {
  readonly by: string;
  readonly did: "post" | "mention" | "reply" | "like" | "repost";
  readonly postId: string;
};

/** A few people who follow each other and talk, also to whoever else is there. */
export type Town = {
  readonly people: readonly SimulatedUser[];
  /** Somebody does something. */
  step(): TownEvent;
};

const names = [
  ["ada", "beth", "carl", "dora", "emil", "finn", "gita", "hugo", "iris", "jack", "kira", "lars", "mona"],
  ["nils", "olga", "paul", "quin", "rosa", "sven", "tara", "udo", "vera", "walt", "xena", "yuri", "zoe"],
].flat();
const usualTopics = ["the weather", "a good book", "coffee", "old trains", "the moon", "soup", "gardens", "chess"];
const sayings = ["I keep thinking about", "Nobody talks enough about", "Today was all about", "Let me tell you about"];
const questions = ["what do you think about", "have you heard about", "do you know anything about"];
const answers = ["I could not agree more", "I am not so sure", "Tell me more", "That made me smile"];

/** Settles a town in a simulator. Whoever is there already and is no inhabitant is talked to. */
export function createTown(simulator: TwitterSimulator, options: TownOptions): Town {
  const { random, topics = usualTopics } = options;
  const free = names.filter((name) => simulator.user(name) === undefined);
  const people = free.slice(0, options.people ?? 8).map((username) => {
    const name = `${username.charAt(0).toUpperCase()}${username.slice(1)}`;
    return simulator.createUser({ username, name, description: `Likes ${pick(random, topics)}.` });
  });
  for (const one of people) for (const other of people) if (one !== other && random() < 0.5) one.follow(other);
  const isInhabitant = (id: string): boolean => people.some((one) => one.id === id);
  let count = 0;
  const speak = (by: SimulatedUser, sayings_: readonly string[]): string => {
    count += 1;
    return `${pick(random, sayings_)} ${pick(random, topics)} (${by.username} ${count})`;
  };
  const others = (by: SimulatedUser): Post[] =>
    simulator
      .posts()
      .filter((post) => post.authorId !== by.id && post.repostOf === null && post.replySettings === "everyone");
  const strangers = (): SimulatedUser[] =>
    simulator.users().filter(({ id, account }) => !isInhabitant(id) && account.standing === "active");
  return {
    people,
    step() {
      const by = pick(random, people);
      const seen = others(by).slice(-20);
      const chance = random();
      if (seen.length === 0 || chance < 0.3)
        return { by: by.username, did: "post", postId: by.post(speak(by, sayings)).id };
      const target = pick(random, seen);
      if (chance < 0.5) {
        const called = strangers();
        if (called.length > 0) {
          const text = `@${pick(random, called).username} ${speak(by, questions)}?`;
          return { by: by.username, did: "mention", postId: by.post(text).id };
        }
      }
      if (chance < 0.7) {
        const text = `${pick(random, answers)} (${by.username} ${(count += 1)})`;
        return { by: by.username, did: "reply", postId: by.post(text, { replyTo: target }).id };
      }
      if (chance < 0.9) {
        by.like(target);
        return { by: by.username, did: "like", postId: target.id };
      }
      return { by: by.username, did: "repost", postId: by.repost(target).id };
    },
  };
}

function pick<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from: give a town people and topics");
  return item;
}
