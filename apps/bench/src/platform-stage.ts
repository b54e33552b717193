import {
  type Agent,
  type Character,
  type Client,
  type ClientParts,
  createAgent,
  type Receive,
  type Store,
  silentLog,
  systemClock,
} from "@troupe/core";
import { createClientState } from "@troupe/core/client";
import { deriveAgentId } from "@troupe/core/memory";
import { createInbound } from "@troupe/core/testing";
import { createDiscordClient } from "@troupe/discord";
import { startDiscordSimulator } from "@troupe/simulator-discord";
import { startTelegramSimulator } from "@troupe/simulator-telegram";
import { createSqliteStore } from "@troupe/store";
import { createTelegramClient } from "@troupe/telegram";
import { defaultCharacter } from "./project.ts";
import { createStubModel } from "./stub-model.ts";

/** Rooms on a platform, and who talks in them. */
type PlatformScene = {
  readonly client: Client;
  /** Says something in the room of this number, from 0, to the agent or to nobody; the platform's id of it. */
  say(room: number, text: string, isAddressed: boolean): string;
  /** Hears, in place of the listener before, whatever of the agent's the other side has: in which room, and what it answers. */
  onAnswer(listener: AnswerListener): void;
  close(): Promise<void>;
};

/** `answered` is the platform's id of a message, as `say` gave it. */
type AnswerListener = (room: number, answered: string) => void;

type SceneParts = { readonly rooms: number; readonly agentId: string; readonly parts: ClientParts };

/** How a scene is opened. */
export type OpenScene = (parts: SceneParts) => Promise<PlatformScene>;

const token = "7000000001:a-token-for-measuring-alone";
/** The other side forgets what is older: it is not what is measured. */
const kept = { keptMessages: 50, keptRequests: 100 } as const;
/** Nothing waits for a person's next message, and rules alone decide. */
const settings = { coalesceMs: 0, groupPolicy: "mention" } as const;

/** A platform in memory that takes no time: the floor. */
export const openInMemory: OpenScene = async ({ agentId }) => {
  let receive: Receive = async () => undefined;
  let tell: AnswerListener = () => undefined;
  let events = 0;
  const place = { platform: "discord", account: "bench" } as const;
  const client: Client = {
    ...place,
    limits: { textLength: 2_000, unit: "codepoints" },
    async start(given) {
      receive = given;
    },
    async send({ target, key, replyToPlatformId = "" }) {
      tell(Number(target), replyToPlatformId);
      return { type: "sent", platformId: key };
    },
    guarantee: () => "nonce",
  };
  return {
    client,
    say(room, text, isAddressed) {
      events += 1;
      const heard = { eventId: String(events), room: String(room), from: "Bo", text, at: Date.now() };
      const mention = { mentionsAgent: isAddressed };
      void receive(createInbound({ agentId, ...place }, { ...heard, channelType: "group", mention }));
      return heard.eventId;
    },
    onAnswer(listener) {
      tell = listener;
    },
    close: async () => undefined,
  };
};

/** Discord, through its simulator, without limits. */
export const openOnDiscord: OpenScene = async ({ rooms, agentId, parts }) => {
  const simulator = await startDiscordSimulator({ limits: false, bots: [{ token }], ...kept });
  const guild = simulator.createGuild({ name: "Harbour" });
  const bo = simulator.createUser({ name: "bo" });
  guild.add(bo);
  const channels = Array.from({ length: rooms }, (_, room) => guild.createChannel({ name: `room-${room}` }));
  const numbers = new Map(channels.map(({ id }, room) => [id, room]));
  const [bot] = simulator.bots;
  if (!bot) throw new Error("the simulator has no bot");
  const options = { token, agentId, agentName: "Ada", settings, rest: { api: simulator.apiUrl } };
  let tell: AnswerListener = () => undefined;
  simulator.listen(({ subject }) => {
    if (subject.type !== "message" || subject.message.authorId !== bot.id) return;
    const { channelId, reference } = subject.message;
    tell(numbers.get(channelId) ?? -1, reference?.messageId ?? "");
  });
  return {
    client: createDiscordClient({ ...options, requestsPerSecond: 1_000_000 }, parts),
    say: (room, text, isAddressed) =>
      bo.say(channels[room] ?? { id: "" }, isAddressed ? `<@${bot.id}> ${text}` : text).id,
    onAnswer(listener) {
      tell = listener;
    },
    close: () => simulator.close(),
  };
};

/** Telegram, through its simulator, without flood control. */
export const openOnTelegram: OpenScene = async ({ rooms, agentId, parts }) => {
  const simulator = await startTelegramSimulator({
    flood: false,
    bots: [{ token, username: "bench_bot", hasPrivacyMode: false }],
    ...kept,
  });
  const bot = simulator.bot();
  const bo = simulator.createUser({ firstName: "Bo" });
  const chats = Array.from({ length: rooms }, (_, room) =>
    simulator.createSupergroup({ title: `Room ${room}`, members: [bo, bot], isSettled: true }),
  );
  const numbers = new Map(chats.map(({ id }, room) => [id, room]));
  const options = { token, agentId, agentName: "Ada", settings, apiRoot: simulator.url };
  let tell: AnswerListener = () => undefined;
  simulator.listen((seen) => {
    if (seen.type !== "message" || seen.by.id !== bot.id) return;
    const { reply_to_message: answered } = seen.message;
    tell(numbers.get(seen.chatId) ?? -1, String(answered?.message_id ?? ""));
  });
  return {
    client: createTelegramClient({ ...options, rates: false }, parts),
    say(room, text, isAddressed) {
      const chat = chats[room];
      if (!chat) throw new Error(`there is no room ${room}`);
      return String(bo.say(chat, isAddressed ? `@bench_bot ${text}` : text).message_id);
    },
    onAnswer(listener) {
      tell = listener;
    },
    close: () => simulator.close(),
  };
};

/** An agent at work on a scene, with a model that answers at once and a store in a file. */
export type PlatformHouse = { readonly agent: Agent; readonly scene: PlatformScene; close(): Promise<void> };

/** Builds one. */
export async function openPlatformHouse(path: string, open: OpenScene, rooms: number): Promise<PlatformHouse> {
  const usual = defaultCharacter();
  const character: Character = { ...usual, platforms: { ...usual.platforms, discord: settings, telegram: settings } };
  const agentId = deriveAgentId(character);
  const store: Store = await createSqliteStore({ path, log: silentLog });
  const own = { log: silentLog, clock: systemClock, random: () => 0.5 };
  const state = createClientState({ agentId, platform: "bench", account: "bench", keyValues: store.keyValues });
  const scene = await open({ rooms, agentId, parts: { ...own, state, commands: () => [] } });
  const model = createStubModel();
  const models = { TEXT_LARGE: model, TEXT_SMALL: model };
  const agent = createAgent({ ...own, character, store, models, clients: [scene.client], owner: "bench" });
  await agent.start();
  return {
    agent,
    scene,
    async close() {
      await agent.stop();
      await scene.close();
      await store.admin.close();
    },
  };
}
