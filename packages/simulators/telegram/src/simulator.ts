import { type Fault, type Faults, startWire, type WireRequest } from "@troupe/simulator-wire";
import { createFlood } from "./api/flood.ts";
import { obeyAnswer, readPath, refusal, type ServerParts, serve } from "./api/serve.ts";
import { badRequest } from "./api-error.ts";
import { type BotHandle, botHandle } from "./handle/bot-handle.ts";
import { type ChatHandle, chatHandle } from "./handle/chat-handle.ts";
import { createRegistry, type Registry } from "./handle/registry.ts";
import { type SeenHappening, seenHappening } from "./handle/seen.ts";
import { type UserHandle, userHandle } from "./handle/user-handle.ts";
import type { BotOptions, TelegramSimulatorOptions } from "./options.ts";
import { createPoller, type Poller } from "./update/poll.ts";
import { createUpdateQueue } from "./update/update-queue.ts";
import { createWebhook } from "./update/webhook.ts";
import { createBus } from "./world/bus.ts";
import { foundChat, type NewGroup } from "./world/chats.ts";
import { createFileStore } from "./world/file-store.ts";
import { changeMember, joinChat } from "./world/members.ts";
import { postMessage } from "./world/post.ts";
import { randomInteger, randomText } from "./world/random-text.ts";
import { adminRights } from "./world/rights.ts";
import type { Bot, Member, User, World } from "./world/world.ts";

/** A user to be. */
export type NewUser = {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly username?: string;
  readonly languageCode?: string;
  /** Somebody else's bot: ours never hear it. */
  readonly isBot?: boolean;
};

/** Who is in a new chat. */
export type NewChat = {
  readonly title?: string;
  /** Makes a supergroup or channel public. */
  readonly username?: string;
  /** A supergroup with topics. */
  readonly isForum?: boolean;
  /** Who is in it; the first user owns it. */
  readonly members?: readonly (UserHandle | BotHandle)[];
  /** Who of them runs it too. */
  readonly admins?: readonly (UserHandle | BotHandle)[];
  /** It has been there for long: no bot is told that it joined. */
  readonly isSettled?: boolean;
};

/** A request for a method. */
export type BotRequest = {
  readonly method: string;
  readonly token: string;
  /** What it said, as it came. */
  readonly body: unknown;
  readonly request: WireRequest;
};

/** Which requests a fault hits. */
export type FaultOptions = { readonly times?: number; readonly after?: number; readonly bot?: BotHandle };

/** A Telegram of one's own. */
export type TelegramSimulator = {
  /** The `apiRoot`: `http://host:port`. */
  readonly url: string;
  readonly port: number;
  /** A bot by its username; the first one when absent. @throws Error when there is none. */
  bot(username?: string): BotHandle;
  /** All of ours. */
  bots(): readonly BotHandle[];
  createBot(options?: BotOptions): BotHandle;
  createUser(options?: NewUser): UserHandle;
  createGroup(options?: Omit<NewChat, "username" | "isForum">): ChatHandle;
  createSupergroup(options?: NewChat): ChatHandle;
  createChannel(options?: Omit<NewChat, "isForum">): ChatHandle;
  /** The newest requests for methods, oldest first; of one method when it is named. */
  requests(method?: string): readonly BotRequest[];
  /** Lets the next calls of a method ("*" for any) go wrong; the function it gives takes that back. */
  fault(method: string, fault: Fault, options?: FaultOptions): () => void;
  /** Faults by path. */
  readonly faults: Faults;
  /** Hears everything that somebody in a chat can see; the function it returns ends it. */
  listen(listener: (happening: SeenHappening) => void): () => void;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
};

/** Starts a Telegram that bots can be pointed at. @throws the system's error when the port is taken. */
export async function startTelegramSimulator(options: TelegramSimulatorOptions = {}): Promise<TelegramSimulator> {
  const world = createWorld(options);
  const pollers = new WeakMap<Bot, Poller>();
  const parts: ServerParts = {
    world,
    flood: createFlood(options.flood ?? {}, () => world.clock.now()),
    fetch: options.fetch ?? fetch,
    onDefect: (error) => options.onDefect?.(error),
    pollerOf(bot) {
      const poller = pollers.get(bot) ?? createPoller(bot.updates, world.timers);
      pollers.set(bot, poller);
      return poller;
    },
  };
  const registry = createRegistry(world);
  const createBot = (bot: BotOptions = {}): BotHandle => botHandle(registry, makeBot(parts, bot));
  for (const bot of options.bots ?? [{}]) createBot(bot);
  const wire = await startWire({
    handle: (request) => serve(parts, request),
    onUnreadable: (reason) => refusal(badRequest(reason)),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.keptRequests === undefined ? {} : { keptRequests: options.keptRequests }),
    ...(options.onDefect === undefined ? {} : { onDefect: options.onDefect }),
  });
  return {
    url: wire.url,
    port: wire.port,
    faults: wire.faults,
    ...peopling(registry, createBot),
    requests: (method) =>
      wire.requests.flatMap(asBotRequest).filter((one) => method === undefined || isNamed(one.method, method)),
    fault(method, fault, { times = 1, after = 0, bot } = {}) {
      const match = (request: WireRequest): boolean => {
        const target = readPath(request.path);
        const isBot = bot === undefined || target?.token === bot.token();
        return target !== null && !target.isFile && isBot && (method === "*" || isNamed(target.rest, method));
      };
      return wire.faults.add({ match, fault, times, after });
    },
    listen: (listener) => world.bus.listen((happening) => listener(seenHappening(happening))),
    cut: () => wire.cut(),
    async close() {
      for (const bot of world.bots.values()) bot.webhook.close();
      for (const query of world.callbacks.values()) query.expire();
      world.bus.close();
      await wire.close();
    },
  };
}

const isNamed = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function asBotRequest(request: WireRequest): readonly BotRequest[] {
  const target = readPath(request.path);
  return target && !target.isFile ? [{ method: target.rest, token: target.token, body: request.body, request }] : [];
}

function createWorld(options: TelegramSimulatorOptions): World {
  const {
    clock = { now: () => Date.now() },
    random = Math.random,
    callbackTtlMs = 60_000,
    keptMessages = 10_000,
  } = options;
  const timers = options.timers ?? {
    after(delayMs: number, run: () => void) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
  };
  return {
    clock,
    timers,
    random,
    callbackTtlMs,
    keptMessages,
    users: new Map(),
    bots: new Map(),
    chats: new Map(),
    privateChats: new Map(),
    callbacks: new Map(),
    files: createFileStore(random),
    bus: createBus((delayMs, run) => timers.after(delayMs, run)),
    nextId: options.firstId ?? 1001,
  };
}

function makeUser(world: World, options: NewUser & { readonly id?: number }): User {
  const id = options.id ?? world.nextId;
  world.nextId += 1;
  if (world.users.has(id)) throw new Error(`There is a user ${id} already`);
  const { firstName = `User ${id}`, lastName, username, languageCode, isBot = false } = options;
  const user: User = { id, isBot, firstName, lastName, username, languageCode, isDeactivated: false };
  world.users.set(id, user);
  return user;
}

function makeBot(parts: ServerParts, options: BotOptions): Bot {
  const { world } = parts;
  const number = world.bots.size + 1;
  const {
    username = number === 1 ? "troupe_bot" : `troupe_${number}_bot`,
    hasPrivacyMode = true,
    canJoinGroups = true,
  } = options;
  const token = options.token ?? `${7_000_000_000 + number}:${randomText(world.random, 35)}`;
  const [, id] = /^(\d{1,15}):[\w-]+$/.exec(token) ?? [];
  if (!id) throw new Error(`"${username}": a token is <number>:<letters>, as BotFather gives them`);
  if (!/^[a-z]\w{1,28}bot$/i.test(username))
    throw new Error(`"${username}" is no bot's username: 5 to 32 letters, ending in "bot"`);
  const user = makeUser(world, { id: Number(id), firstName: options.firstName ?? username, username, isBot: true });
  const now = (): number => world.clock.now();
  const updates = createUpdateQueue({ now, newId: () => randomInteger(world.random, 100_000_000, 900_000_000) });
  const webhook = createWebhook({
    queue: updates,
    now,
    timers: world.timers,
    fetch: parts.fetch,
    obey: (answer) => obeyAnswer(parts, bot, answer),
  });
  const bot: Bot = {
    user,
    token,
    hasPrivacyMode,
    canJoinGroups,
    nextMessageId: 1,
    commands: new Map(),
    updates,
    webhook,
  };
  world.bots.set(user.id, bot);
  return bot;
}

type Peopling = Pick<
  TelegramSimulator,
  "bot" | "bots" | "createBot" | "createUser" | "createGroup" | "createSupergroup" | "createChannel"
>;

function peopling(registry: Registry, createBot: (options?: BotOptions) => BotHandle): Peopling {
  const { world } = registry;
  return {
    bot(username) {
      const found = [...world.bots.values()].find(({ user }) => username === undefined || user.username === username);
      if (!found) throw new Error(`There is no bot @${username ?? ""}`);
      return botHandle(registry, found);
    },
    bots: () => [...world.bots.values()].map((bot) => botHandle(registry, bot)),
    createBot,
    createUser: (options = {}) => userHandle(registry, makeUser(world, options)),
    createGroup: (options = {}) => makeChat(registry, "group", options),
    createSupergroup: (options = {}) => makeChat(registry, "supergroup", options),
    createChannel: (options = {}) => makeChat(registry, "channel", options),
  };
}

function makeChat(registry: Registry, type: NewGroup["type"], options: NewChat): ChatHandle {
  const { world } = registry;
  const { title = `A ${type}`, username, isForum, isSettled = false } = options;
  const chat = foundChat(world, { type, title, username, isForum });
  const accounts = (handles: readonly (UserHandle | BotHandle)[] = []): readonly User[] =>
    handles.map((handle) => {
      const user = registry.user(handle) ?? registry.bot(handle)?.user;
      if (!user) throw new Error("This user or bot is of another simulator");
      return user;
    });
  const admins = accounts(options.admins);
  const everybody = [...new Set([...accounts(options.members), ...admins])];
  const founder = everybody.find(({ isBot }) => !isBot) ?? makeUser(world, { firstName: "Founder" });
  chat.members.set(founder.id, { user: founder, status: "creator", rights: {} });
  const member = (user: User): Member =>
    admins.includes(user)
      ? { user, status: "administrator", rights: adminRights(chat) }
      : { user, status: "member", rights: {} };
  for (const user of everybody) {
    if (user === founder) continue;
    if (isSettled) chat.members.set(user.id, member(user));
    else if (type === "supergroup") joinChat(world, { chat, user, by: founder });
    if (!isSettled && (type !== "supergroup" || admins.includes(user)))
      changeMember(world, { chat, by: founder, member: member(user) });
  }
  if (type === "group" && !isSettled)
    postMessage(world, { chat, from: founder, content: { group_chat_created: true } });
  return chatHandle(registry, chat);
}
