import type { BotHandle } from "./handle/bot-handle.ts";
import type { ChatHandle } from "./handle/chat-handle.ts";
import type { UserHandle } from "./handle/user-handle.ts";
import type { TelegramMessage } from "./payload.ts";
import type { TelegramSimulator } from "./simulator.ts";

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
  readonly did: "talk" | "mention" | "reply" | "react" | "direct" | "photo" | "press";
  readonly chatId: number;
  readonly messageId: number;
};

/** A group and a forum with a few people who talk, also to the bots. */
export type Town = {
  readonly chats: readonly ChatHandle[];
  readonly people: readonly UserHandle[];
  /** Somebody does something. */
  step(): TownEvent;
};

const usualTopics = ["the weather", "a good book", "coffee", "old bridges", "the moon", "soup", "gardens", "chess"];
const sayings = [
  "I was just thinking about",
  "All morning it was",
  "Somebody brought up",
  "We should do something about",
];
const questions = ["what is there to know about", "any thoughts on", "tell us a thing about"];
const answers = ["That is a fair point", "I see it differently", "Go on", "Ha, I like that"];
const emojis = ["👍", "❤", "😁", "🎉"];

/** Settles a town in a simulator; every bot that is there is in both chats, and knows everybody in private. */
export function createTown(simulator: TelegramSimulator, { random, topics = usualTopics }: TownOptions): Town {
  const people = ["Ada", "Beth", "Carl", "Dora", "Emil"].map((firstName) =>
    simulator.createUser({ firstName, username: `${firstName.toLowerCase()}_of_town`, languageCode: "en" }),
  );
  const bots = simulator.bots();
  const square = simulator.createSupergroup({ title: "Market Square", members: [...people, ...bots] });
  const forum = simulator.createSupergroup({ title: "Town Hall", isForum: true, members: [...people, ...bots] });
  const rooms: readonly Room[] = [
    { chat: square, topic: null },
    { chat: forum, topic: null },
    ...["Gardens", "Evenings"].map((name) => ({ chat: forum, topic: forum.createTopic(name) })),
  ];
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined)
      throw new Error("There is nothing to choose from: give the town topics and the simulator a bot");
    return item;
  };
  return {
    people,
    chats: [square, forum],
    step: () => step({ by: pick(people), bot: pick(bots), room: pick(rooms), pick, topics, chance: random() }),
  };
}

type Room = { readonly chat: ChatHandle; readonly topic: number | null };

type Moment = {
  readonly by: UserHandle;
  readonly bot: BotHandle;
  readonly room: Room;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly topics: readonly string[];
  readonly chance: number;
};

function step(moment: Moment): TownEvent {
  const { by, bot, room, pick, topics, chance } = moment;
  const where = room.topic === null ? {} : { topic: room.topic };
  const event = (did: TownEvent["did"], { chat, message_id: messageId }: TelegramMessage): TownEvent => ({
    by: by.user.first_name,
    did,
    chatId: chat.id,
    messageId,
  });
  const question = `${pick(questions)} ${pick(topics)}?`;
  const last = lastOf(moment);
  if (chance < 0.25) return event("mention", by.say(room.chat, { ...where, text: `@${bot.username} ${question}` }));
  if (chance < 0.45) return event("direct", by.say(bot, `${question.charAt(0).toUpperCase()}${question.slice(1)}`));
  if (chance < 0.5) return event("photo", by.say(bot, { photo: {}, caption: `This is about ${pick(topics)}` }));
  if (last && chance < 0.7) return event("reply", by.say(room.chat, { text: `${pick(answers)}.`, replyTo: last }));
  if (last && chance < 0.8) {
    by.react(last, pick(emojis));
    return event("react", last);
  }
  const asking = last ? buttonOf(last) : undefined;
  if (last && asking !== undefined && chance < 0.9) {
    by.press(last, asking);
    return event("press", last);
  }
  return event("talk", by.say(room.chat, { ...where, text: `${pick(sayings)} ${pick(topics)}.` }));
}

/** What the bot said last in the room, or else anybody else. */
function lastOf({ by, bot, room }: Moment): TelegramMessage | undefined {
  const said = room.chat
    .messages()
    .filter(
      ({ text, message_thread_id: thread = null, is_topic_message: isInTopic }) =>
        text !== undefined && (isInTopic ? thread : null) === room.topic,
    );
  return said.findLast(({ from }) => from?.id === bot.id) ?? said.findLast(({ from }) => from?.id !== by.id);
}

function buttonOf({ reply_markup: markup }: TelegramMessage): string | undefined {
  return markup?.inline_keyboard?.flat().find(({ callback_data: data }) => data !== undefined)?.text;
}
