import { createTownTalk, type TownOptions, townNames } from "@troupe/simulator-wire";
import type { SimulatedUser } from "./simulated-user.ts";
import type { TwitterSimulator } from "./twitter-simulator.ts";
import type { Post } from "./world/world.ts";

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

/** How many people there are, 1 to 26; 8 when absent. */
type TownSize = { readonly people?: number };

/** Settles a town in a simulator. Whoever is there already and is no inhabitant is talked to. */
export function createTown(
  simulator: TwitterSimulator,
  { people: count = 8, ...options }: TownOptions & TownSize,
): Town {
  const words = createTownTalk(options);
  const { pick } = words;
  const free = townNames(26).filter((name) => simulator.user(name.toLowerCase()) === undefined);
  const people = free
    .slice(0, count)
    .map((name) =>
      simulator.createUser({ username: name.toLowerCase(), name, description: `Likes ${words.topic()}.` }),
    );
  for (const one of people) for (const other of people) if (one !== other && words.chance() < 0.5) one.follow(other);
  const isInhabitant = (id: string): boolean => people.some((one) => one.id === id);
  let said = 0;
  // X takes no text twice a day from one account.
  const mark = (text: string, by: SimulatedUser): string => {
    said += 1;
    return `${text} (${by.username} ${said})`;
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
      const by = pick(people);
      const seen = others(by).slice(-20);
      const chance = words.chance();
      if (seen.length === 0 || chance < 0.3)
        return { by: by.username, did: "post", postId: by.post(mark(words.remark(), by)).id };
      const target = pick(seen);
      if (chance < 0.5) {
        const called = strangers();
        if (called.length > 0) {
          const text = `@${pick(called).username} ${mark(words.question(), by)}`;
          return { by: by.username, did: "mention", postId: by.post(text).id };
        }
      }
      if (chance < 0.7) {
        const text = mark(words.answer(), by);
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
