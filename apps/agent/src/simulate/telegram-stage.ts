import {
  createTown,
  type SeenHappening,
  startTelegramSimulator,
  type TelegramMessage,
  type TelegramSimulator,
  type Town,
} from "@troupe/simulator-telegram";
import { disturbTelegram } from "./disturb-telegram.ts";
import {
  findPlace,
  type Happening,
  quoted,
  type Stage,
  type StageOptions,
  toHandle,
  visitorName,
  withMentions,
} from "./stage.ts";

/** So many milliseconds a simulator keeps to itself of each id's row: more than people and groups are made meanwhile. */
const idsPerMs = 20;

/** Opens a Telegram with a group and a forum of people who talk. @throws the system's error when the port is taken. */
export async function openTelegramStage({ port, bots: names, random, startedAt }: StageOptions): Promise<Stage> {
  const simulator = await startTelegramSimulator({
    ...(port !== undefined && { port }),
    random,
    firstId: Math.floor(startedAt / idsPerMs),
    bots: names.map((firstName, index) => ({
      token: `${7_000_000_001 + index}:simulated-telegram-bot-token-only`,
      username: `${toHandle(firstName, `character_${index + 1}`)}_bot`,
      firstName,
    })),
  });
  const town = createTown(simulator, { random });
  const visitor = simulator.createUser({ firstName: visitorName, username: "visitor_of_town" });
  for (const chat of town.chats) visitor.join(chat);
  const bots = simulator.bots().map((bot, index) => ({
    name: names[index] ?? bot.username,
    account: String(bot.id),
    credentials: { TELEGRAM_BOT_TOKEN: bot.token() },
  }));
  const topics = topicsOf(town);
  const places = placesOf(simulator, town, topics);
  let hiddenArrivals = 0;
  return {
    platform: "telegram",
    title: "Telegram",
    address: simulator.url,
    bots,
    variables: { TELEGRAM_API_ROOT: simulator.url },
    tellsFirstWords: true,
    description: `a group and a forum, ${town.chats.map(({ title }) => title).join(" and ")}, with ${town.people.length} people in them`,
    listen: (listener) =>
      simulator.listen((seen) => {
        const happening = toHappening(seen, simulator, topics);
        if (happening) listener(happening);
      }),
    isConnected: () =>
      simulator.requests("getUpdates").length > 0 || simulator.bots().some((bot) => bot.webhook()["url"] !== ""),
    isToldAll: () => simulator.bots().every(({ updates }) => updates.pending() === 0),
    step: () => void town.step(),
    places: () => [...places.keys()],
    say(place, text) {
      const mentions = Object.fromEntries(
        simulator.bots().map(({ username }, index) => [names[index] ?? username, `@${username}`]),
      );
      const { chat, topic } = findPlace(places, place);
      visitor.say(chat, { text: withMentions(text, mentions), ...(topic !== undefined && { topic }) });
    },
    disturb() {
      const { what, hidesArrival } = disturbTelegram(simulator, random);
      if (hidesArrival) hiddenArrivals += 1;
      return what;
    },
    hiddenArrivals: () => hiddenArrivals,
    calm: () => simulator.faults.clear(),
    close: () => simulator.close(),
  };
}

/** The names of a forum's topics, by `chat/topic`. */
type Topics = ReadonlyMap<string, string>;

function topicsOf({ chats }: Town): Topics {
  return new Map(
    chats.flatMap((chat) =>
      chat
        .messages()
        .flatMap(({ message_id: id, forum_topic_created: created }) =>
          created ? [[`${chat.id}/${id}`, created.name] as const] : [],
        ),
    ),
  );
}

type Place = { readonly chat: Parameters<Town["people"][number]["say"]>[0]; readonly topic?: number };

function placesOf(simulator: TelegramSimulator, { chats }: Town, topics: Topics): ReadonlyMap<string, Place> {
  const name = (title: string): string => title.toLowerCase().replaceAll(" ", "-");
  return new Map<string, Place>([
    ...chats.flatMap((chat) => [
      [name(chat.title), { chat }] as const,
      ...[...topics].flatMap(([key, topic]) =>
        key.startsWith(`${chat.id}/`)
          ? [[`${name(chat.title)}/${name(topic)}`, { chat, topic: Number(key.split("/")[1]) }] as const]
          : [],
      ),
    ]),
    ...simulator.bots().map((bot) => [`@${bot.user.first_name}`, { chat: bot }] as const),
    ["direct", { chat: simulator.bot() }],
  ]);
}

function toHappening(seen: SeenHappening, simulator: TelegramSimulator, topics: Topics): Happening | null {
  switch (seen.type) {
    case "message":
      return isSpoken(seen.message) ? toSaid(seen, seen.message, { simulator, topics }) : null;
    case "edit":
      return { type: "changed", key: keyOf(seen, seen.message), text: readable(seen.message) };
    case "delete":
      return { type: "removed", key: keyOf(seen, seen.message) };
    case "reaction": {
      const marks = seen.emojis.join("");
      const what = `${marks === "" ? "takes a reaction back from" : `puts ${marks} to`} ${quoted(readable(seen.message))}`;
      return { type: "did", place: placeName(seen.message, topics), by: seen.by.first_name, what };
    }
    case "action":
      return null;
  }
}

function isSpoken({ text, photo, document, voice, sticker }: TelegramMessage): boolean {
  return [text, photo, document, voice, sticker].some((part) => part !== undefined);
}

function toSaid(
  seen: SeenHappening,
  message: TelegramMessage,
  { simulator, topics }: { readonly simulator: TelegramSimulator; readonly topics: Topics },
): Happening {
  const bots = simulator.bots();
  const isOfBot = bots.some(({ id }) => id === seen.by.id);
  const { reply_to_message: answered, chat, message_thread_id: thread, is_topic_message: isInTopic } = message;
  const text = (message.text ?? message.caption ?? "").toLowerCase();
  const addressed = bots.filter(
    ({ id, username }) => seen.botId === id || answered?.from?.id === id || text.includes(`@${username.toLowerCase()}`),
  );
  const isRealAnswer = answered !== undefined && answered.forum_topic_created === undefined;
  return {
    type: "said",
    key: keyOf(seen, message),
    id: `${chat.id}:${message.message_id}`,
    room: isInTopic && thread !== undefined ? `${chat.id}/${thread}` : String(chat.id),
    isDirect: chat.type === "private",
    place: placeName(message, topics),
    by: seen.by.first_name,
    account: isOfBot ? String(seen.by.id) : null,
    text: readable(message),
    answers: isRealAnswer ? keyOf(seen, answered) : null,
    addressed: isOfBot ? [] : addressed.map(({ id }) => String(id)),
  };
}

/** Private chats of one person with several bots have the same id, and numbers of their own. */
function keyOf({ chatId, botId }: SeenHappening, { message_id: number }: TelegramMessage): string {
  return `${botId ?? ""}/${chatId}:${number}`;
}

function placeName(
  { chat, message_thread_id: thread, is_topic_message: isInTopic }: TelegramMessage,
  topics: Topics,
): string {
  if (chat.type === "private") return `direct ${chat.first_name ?? ""}`.trim();
  const topic = isInTopic ? topics.get(`${chat.id}/${thread}`) : undefined;
  return topic === undefined ? (chat.title ?? String(chat.id)) : `${chat.title}/${topic}`;
}

function readable({ text, caption, photo, document, voice, sticker }: TelegramMessage): string {
  const files = [photo && "photo", document && (document.file_name ?? "file"), voice && "voice", sticker && "sticker"];
  return [text ?? caption ?? "", ...files.flatMap((file) => (file ? [`[${file}]`] : []))]
    .filter((part) => part !== "")
    .join(" ");
}
