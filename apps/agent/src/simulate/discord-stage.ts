import {
  createTown,
  type DiscordSimulator,
  type Message,
  type SimulatedBot,
  type SimulatedUser,
  startDiscordSimulator,
  type WorldEvent,
} from "@troupe/simulator-discord";
import { disturbDiscord } from "./disturb-discord.ts";
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

/** Ordinary messages, answers, answers to commands. */
const spokenTypes: ReadonlySet<number> = new Set([0, 19, 20, 23]);
const directType = 1;
const forumType = 15;

/** Opens a Discord with two servers of people who talk. @throws the system's error when the port is taken. */
export async function openDiscordStage({ port, bots: names, random }: StageOptions): Promise<Stage> {
  const simulator = await startDiscordSimulator({
    ...(port !== undefined && { port }),
    random,
    bots: names.map((displayName, index) => ({
      token: `simulated-discord-bot-${index + 1}`,
      name: toHandle(displayName, `character_${index + 1}`),
      displayName,
    })),
  });
  const town = createTown(simulator, { random });
  const visitor = simulator.createUser({ name: "visitor", displayName: visitorName });
  for (const guild of town.guilds) visitor.join(guild);
  const bots = simulator.bots.map((bot, index) => ({
    name: names[index] ?? bot.name,
    account: bot.id,
    credentials: { DISCORD_API_TOKEN: bot.token },
  }));
  const people = [...town.people, visitor];
  const known = new Map([
    ...people.map(({ id, name }) => [id, name.charAt(0).toUpperCase() + name.slice(1)] as const),
    ...bots.map(({ account, name }) => [account, name] as const),
  ]);
  const talk = town.channels.filter(({ type }) => type !== forumType);
  const places = placesOf(simulator, { talk, bots, visitor });
  const guilds = town.guilds.map(({ name }) => name).join(" and ");
  return {
    platform: "discord",
    title: "Discord",
    address: simulator.apiUrl,
    bots,
    variables: { DISCORD_API_ROOT: simulator.apiUrl },
    tellsFirstWords: false,
    description: `two servers, ${guilds}, with ${town.people.length} people in them`,
    listen: (listener) =>
      simulator.listen((event) => {
        const happening = toHappening(event, { simulator, known });
        if (happening) listener(happening);
      }),
    isConnected: () => simulator.gateway.sessions.some(({ isConnected }) => isConnected),
    isToldAll: () => simulator.gateway.sessions.filter(({ isConnected }) => isConnected).length >= bots.length,
    step: () => void town.step(),
    places: () => [...places.keys()],
    say(place, text) {
      const mentions = Object.fromEntries(bots.map(({ name, account }) => [name, `<@${account}>`]));
      const command = /^\/(\S+)\s*([^]*)$/.exec(text.trim());
      const channel = findPlace(places, place)();
      if (command)
        useCommand(visitor, channel, { name: command[1] ?? "", words: command[2] ?? "", of: simulator.bots });
      else visitor.say(channel, withMentions(text, mentions));
    },
    disturb: () => disturbDiscord(simulator, random),
    // A message is sent again with its nonce, and Discord shows it once.
    hiddenArrivals: () => 0,
    calm: () => simulator.faults.clear(),
    close: () => simulator.close(),
  };
}

type Place = () => { readonly id: string };

function placesOf(
  simulator: DiscordSimulator,
  {
    talk,
    bots,
    visitor,
  }: {
    readonly talk: readonly { readonly id: string; readonly name: string | null }[];
    readonly bots: Stage["bots"];
    readonly visitor: SimulatedUser;
  },
): ReadonlyMap<string, Place> {
  return new Map<string, Place>([
    ...talk.map((channel) => [channel.name ?? channel.id, () => channel] as const),
    ...bots.map(({ name, account }) => [`@${name}`, () => visitor.directMessages({ id: account })] as const),
    ...(simulator.bots[0] ? [["direct", () => visitor.directMessages(simulator.bots[0] ?? { id: "" })] as const] : []),
  ]);
}

/** Uses a slash command of whichever bot has it, with the words for its first option. */
function useCommand(
  visitor: SimulatedUser,
  channel: { readonly id: string },
  { name, words, of }: { readonly name: string; readonly words: string; readonly of: readonly SimulatedBot[] },
): void {
  const found = of.find((bot) => bot.commands().some((command) => command.name === name));
  const option = found?.commands().find((command) => command.name === name)?.options[0];
  if (!found) {
    const all = of.flatMap((bot) => bot.commands().map((command) => `/${command.name}`));
    throw new Error(`Nobody here has the command /${name}; there are: ${[...new Set(all)].join(", ") || "none"}.`);
  }
  visitor.useCommand(channel, name, option && words.trim() !== "" ? { [option.name]: words.trim() } : {}, found);
}

type Seeing = { readonly simulator: DiscordSimulator; readonly known: ReadonlyMap<string, string> };

function toHappening({ subject }: WorldEvent, seeing: Seeing): Happening | null {
  const nameOf = (id: string): string => seeing.known.get(id) ?? "somebody";
  switch (subject.type) {
    case "message":
      return spokenTypes.has(subject.message.type) ? toSaid(subject.message, seeing) : null;
    case "edit":
      return { type: "changed", key: subject.message.id, text: readable(subject.message, seeing) };
    case "deletion":
      return { type: "removed", key: subject.message.id };
    case "reaction": {
      const { message, userId, emoji } = subject;
      const what = `puts ${emoji} to ${quoted(readable(message, seeing))}`;
      return { type: "did", place: placeName(message.channelId, seeing), by: nameOf(userId), what };
    }
    case "interaction":
    case "unreaction":
    case "typing":
    case "thread":
    case "other":
      return null;
  }
}

function toSaid(message: Message, seeing: Seeing): Happening {
  const { simulator, known } = seeing;
  const isOfBot = simulator.bots.some(({ id }) => id === message.authorId);
  const { recipientIds } = simulator.channel(message.channelId);
  const addressed = simulator.bots
    .map(({ id }) => id)
    .filter((id) => message.mentionIds.includes(id) || recipientIds.includes(id));
  return {
    type: "said",
    key: message.id,
    id: message.id,
    room: message.channelId,
    isDirect: recipientIds.length > 0,
    place: placeName(message.channelId, seeing),
    by: known.get(message.authorId) ?? "somebody",
    account: isOfBot ? message.authorId : null,
    text: readable(message, seeing),
    answers: message.reference?.type === 0 ? message.reference.messageId : null,
    addressed: isOfBot ? [] : addressed,
  };
}

function placeName(channelId: string, { simulator, known }: Seeing): string {
  const { type, name, recipientIds } = simulator.channel(channelId);
  if (type !== directType) return `#${name ?? channelId}`;
  const person = recipientIds.find((id) => !simulator.bots.some((bot) => bot.id === id));
  return `direct ${known.get(person ?? "") ?? ""}`.trim();
}

function readable({ content, attachments }: Message, { known }: Seeing): string {
  const text = content.replaceAll(/<@!?(\d+)>/g, (mark, id: string) => (known.has(id) ? `@${known.get(id)}` : mark));
  return [text, ...attachments.map(({ name }) => `[${name}]`)].filter((part) => part !== "").join(" ");
}
