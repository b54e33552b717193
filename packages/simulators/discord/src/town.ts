import type { SimulatedChannel } from "./act/channel.ts";
import type { SimulatedGuild } from "./act/guild.ts";
import type { SimulatedUser } from "./act/user.ts";
import type { DiscordSimulator } from "./simulator.ts";
import type { Message } from "./world.ts";

/** Who lives in a town, and about what they talk. */
export type TownOptions = {
  /** 0 up to 1, as `Math.random`; decides who does what. */
  readonly random: () => number;
  /** What they talk about; the weather and the like when absent. */
  readonly topics?: readonly string[];
};

/** What somebody in a town did. */
export type TownEvent = {
  readonly by: string;
  readonly did: "talk" | "mention" | "reply" | "react" | "thread" | "post" | "direct";
  readonly channelId: string;
  readonly messageId: string;
};

/** Two guilds with a few people who talk, also to the bots. */
export type Town = {
  readonly guilds: readonly SimulatedGuild[];
  readonly channels: readonly SimulatedChannel[];
  readonly people: readonly SimulatedUser[];
  /** Somebody does something. */
  step(): TownEvent;
};

const usualTopics = ["the weather", "a good book", "coffee", "old boats", "the moon", "soup", "gardens", "chess"];
const openings = ["I keep thinking about", "Nobody talks enough about", "Today was all about", "Let me tell you about"];
const questions = ["what do you think about", "have you heard about", "do you know anything about"];
const answers = ["I could not agree more", "I am not so sure", "Tell me more", "That made me smile"];
const emojis = ["👍", "❤️", "😂", "🎉"];

type Settled = {
  readonly guild: SimulatedGuild;
  readonly talk: readonly SimulatedChannel[];
  readonly forum: SimulatedChannel;
  readonly people: readonly SimulatedUser[];
};

/** Settles a town in a simulator; every bot that is there is in both guilds. */
export function createTown(simulator: DiscordSimulator, { random, topics = usualTopics }: TownOptions): Town {
  const people = ["ada", "beth", "carl", "dora", "emil", "finn"].map((name) => {
    const displayName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return simulator.createUser({ name, displayName });
  });
  const settled = [
    settle(simulator, { name: "Harbour", channels: ["general", "boats"], people: people.slice(0, 4) }),
    settle(simulator, { name: "Library", channels: ["reading-room", "whispers"], people: people.slice(2) }),
  ];
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined)
      throw new Error("there is nothing to choose from: give the town topics and the simulator a bot");
    return item;
  };
  return {
    guilds: settled.map(({ guild }) => guild),
    channels: settled.flatMap(({ talk, forum }) => [...talk, forum]),
    people,
    step: () => step({ simulator, pick, topics, chance: random() }, pick(settled)),
  };
}

function settle(
  simulator: DiscordSimulator,
  {
    name,
    channels,
    people,
  }: { readonly name: string; readonly channels: readonly string[]; readonly people: readonly SimulatedUser[] },
): Settled {
  const guild = simulator.createGuild({ name });
  for (const person of people) guild.add(person);
  const talk = channels.map((channel) => guild.createChannel({ name: channel }));
  return { guild, talk, people, forum: guild.createChannel({ name: "questions", type: "forum" }) };
}

type Moment = {
  readonly simulator: DiscordSimulator;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly topics: readonly string[];
  readonly chance: number;
};

function step({ simulator, pick, topics, chance }: Moment, { talk, forum, people }: Settled): TownEvent {
  const by = pick(people);
  const channel = pick(talk);
  const opening = `${pick(openings)} ${pick(topics)}.`;
  const did = (what: TownEvent["did"], message: Readonly<Message>): TownEvent => ({
    by: by.name,
    did: what,
    channelId: message.channelId,
    messageId: message.id,
  });
  const seen = channel
    .messages()
    .slice(-20)
    .filter(({ type }) => type === 0 || type === 19);
  if (chance < 0.35 || (seen.length === 0 && chance < 0.8)) return did("talk", by.say(channel, opening));
  if (chance < 0.5)
    return did("mention", by.say(channel, `<@${pick(simulator.bots).id}> ${pick(questions)} ${pick(topics)}?`));
  if (chance < 0.65) return did("reply", by.say(channel, { content: pick(answers), replyTo: pick(seen) }));
  if (chance < 0.75) {
    const message = pick(seen);
    by.react(message, pick(emojis));
    return did("react", message);
  }
  if (chance < 0.8) {
    const thread = by.startThread(by.say(channel, opening), pick(topics));
    return did("thread", by.say(thread, `What ${pick(people).name} said about it is another story.`));
  }
  if (chance < 0.9) return did("direct", by.tell(pick(simulator.bots), `${pick(questions)} ${pick(topics)}?`));
  const post = by.post(forum, { name: `About ${pick(topics)}`, content: opening });
  const [first] = post.messages();
  if (!first) throw new Error("a post begins with its message");
  return did("post", first);
}
