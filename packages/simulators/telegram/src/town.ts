import { createTownTalk, type TownOptions, type TownTalk, townNames } from "@troupe/simulator-wire";
import type { BotHandle } from "./handle/bot-handle.ts";
import type { ChatHandle } from "./handle/chat-handle.ts";
import type { UserHandle } from "./handle/user-handle.ts";
import type { TelegramMessage } from "./payload.ts";
import type { TelegramSimulator } from "./simulator.ts";

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

const emojis = ["👍", "❤", "😁", "🎉"];

/** Settles a town in a simulator; every bot that is there is in both chats, and knows everybody in private. */
export function createTown(simulator: TelegramSimulator, options: TownOptions): Town {
  const people = townNames(5).map((firstName) =>
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
  const words = createTownTalk(options);
  const { pick } = words;
  return {
    people,
    chats: [square, forum],
    step: () => step({ by: pick(people), bot: pick(bots), room: pick(rooms), words }),
  };
}

type Room = { readonly chat: ChatHandle; readonly topic: number | null };

type Moment = {
  readonly by: UserHandle;
  readonly bot: BotHandle;
  readonly room: Room;
  readonly words: TownTalk;
};

function step(moment: Moment): TownEvent {
  const { by, bot, room, words } = moment;
  const where = room.topic === null ? {} : { topic: room.topic };
  const event = (did: TownEvent["did"], { chat, message_id: messageId }: TelegramMessage): TownEvent => ({
    by: by.user.first_name,
    did,
    chatId: chat.id,
    messageId,
  });
  const chance = words.chance();
  const question = words.question();
  const last = lastOf(moment);
  if (chance < 0.25) return event("mention", by.say(room.chat, { ...where, text: `@${bot.username} ${question}` }));
  if (chance < 0.45) return event("direct", by.say(bot, `${question.charAt(0).toUpperCase()}${question.slice(1)}`));
  if (chance < 0.5) return event("photo", by.say(bot, { photo: {}, caption: `This is about ${words.topic()}` }));
  if (last && chance < 0.7) return event("reply", by.say(room.chat, { text: words.answer(), replyTo: last }));
  if (last && chance < 0.8) {
    by.react(last, words.pick(emojis));
    return event("react", last);
  }
  const asking = last ? buttonOf(last) : undefined;
  if (last && asking !== undefined && chance < 0.9) {
    by.press(last, asking);
    return event("press", last);
  }
  return event("talk", by.say(room.chat, { ...where, text: words.remark() }));
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
