import { createTownTalk, type TownOptions, type TownTalk, townNames } from "@troupe/simulator-wire";
import type { SimulatedChannel } from "./act/channel.ts";
import type { SimulatedGuild } from "./act/guild.ts";
import type { SimulatedUser } from "./act/user.ts";
import type { DiscordSimulator } from "./simulator.ts";
import type { Message } from "./world.ts";

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

const emojis = ["👍", "❤️", "😂", "🎉"];

type Settled = {
  readonly guild: SimulatedGuild;
  readonly talk: readonly SimulatedChannel[];
  readonly forum: SimulatedChannel;
  readonly people: readonly SimulatedUser[];
};

/** Settles a town in a simulator; every bot that is there is in both guilds. */
export function createTown(simulator: DiscordSimulator, options: TownOptions): Town {
  const people = townNames(6).map((displayName) =>
    simulator.createUser({ name: displayName.toLowerCase(), displayName }),
  );
  const settled = [
    settle(simulator, { name: "Harbour", channels: ["harbour", "boats"], people: people.slice(0, 4) }),
    settle(simulator, { name: "Library", channels: ["reading-room", "whispers"], people: people.slice(2) }),
  ];
  const words = createTownTalk(options);
  return {
    guilds: settled.map(({ guild }) => guild),
    channels: settled.flatMap(({ talk, forum }) => [...talk, forum]),
    people,
    step: () => step({ simulator, words }, words.pick(settled)),
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
  const forum = guild.createChannel({ name: `${name.toLowerCase()}-questions`, type: "forum" });
  return { guild, talk, people, forum };
}

type Moment = { readonly simulator: DiscordSimulator; readonly words: TownTalk };

function step({ simulator, words }: Moment, { talk, forum, people }: Settled): TownEvent {
  const { pick } = words;
  const by = pick(people);
  const channel = pick(talk);
  const chance = words.chance();
  const opening = words.remark();
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
  if (chance < 0.5) return did("mention", by.say(channel, `<@${pick(simulator.bots).id}> ${words.question()}`));
  if (chance < 0.65) return did("reply", by.say(channel, { content: words.answer(), replyTo: pick(seen) }));
  if (chance < 0.75) {
    const message = pick(seen);
    by.react(message, pick(emojis));
    return did("react", message);
  }
  if (chance < 0.8) {
    const thread = by.startThread(by.say(channel, opening), words.topic());
    return did("thread", by.say(thread, `What ${pick(people).name} said about it is another story.`));
  }
  if (chance < 0.9) return did("direct", by.tell(pick(simulator.bots), words.question()));
  const post = by.post(forum, { name: `About ${words.topic()}`, content: opening });
  const [first] = post.messages();
  if (!first) throw new Error("a post begins with its message");
  return did("post", first);
}
