import { type Faults, startWire, type WireRequest } from "@troupe/simulator-wire";
import { createChannelView, type SimulatedChannel } from "./act/channel.ts";
import { createGuild, createGuildView, type SimulatedGuild } from "./act/guild.ts";
import { type Stage, type Waiting, waitFor } from "./act/stage.ts";
import { createUserView, type SimulatedUser } from "./act/user.ts";
import { commandsOf } from "./commands.ts";
import { refusal, toAnswer } from "./errors.ts";
import { createGatewayControl, type GatewayControl } from "./gateway/control.ts";
import { createGateway } from "./gateway/gateway.ts";
import { type PrivilegedIntent, privilegedBits } from "./intents.ts";
import { createInteractions } from "./interactions.ts";
import { createNonces } from "./nonces.ts";
import type { BotOptions, DiscordSimulatorOptions } from "./options.ts";
import { createRateLimits } from "./rate-limits.ts";
import { applicationRoutes } from "./rest/applications.ts";
import { channelRoutes } from "./rest/channels.ts";
import { serveFile } from "./rest/files.ts";
import { guildRoutes } from "./rest/guilds.ts";
import { interactionRoutes } from "./rest/interactions.ts";
import { messageRoutes } from "./rest/messages.ts";
import { reactionRoutes } from "./rest/reactions.ts";
import { createRouter } from "./rest/router.ts";
import { threadRoutes } from "./rest/threads.ts";
import { type Application, type Command, createWorld, type User, type World, type WorldEvent } from "./world.ts";

/** A bot that may log in with its token. */
export type SimulatedBot = {
  /** Its user's id and its application's. */
  readonly id: string;
  readonly name: string;
  readonly token: string;
  /** Its commands everywhere, or in one guild. */
  commands(guild?: { readonly id: string }): readonly Command[];
  /** What its page in the developer portal has switched on from now on. */
  setPrivilegedIntents(names: readonly PrivilegedIntent[]): void;
};

/** A new person. */
export type UserOptions = {
  readonly name: string;
  readonly displayName?: string;
  /** Another bot, that nobody runs. */
  readonly isBot?: boolean;
  /** Whether bots may write to them; true when absent. */
  readonly acceptsDirectMessages?: boolean;
};

/** A new server. */
export type GuildOptions = {
  readonly name: string;
  /** A new person when absent. */
  readonly owner?: { readonly id: string };
  /** Which bots are in it; all when absent. */
  readonly bots?: readonly { readonly id: string }[];
};

/** A running Discord: a REST API and a gateway that bots connect to, and hands to build and move its world. */
export type DiscordSimulator = {
  /** `http://host:port`. */
  readonly url: string;
  /** What discord.js takes as `rest.api`. */
  readonly apiUrl: string;
  readonly port: number;
  /** What goes wrong with requests. Paths are as they come: `POST /api/v10/**`. */
  readonly faults: Faults;
  /** The newest requests, oldest first. */
  readonly requests: readonly WireRequest[];
  /** Answers with 401, 403 and 429 in the present 10 minutes. */
  readonly invalidRequests: number;
  readonly gateway: GatewayControl;
  readonly bots: readonly SimulatedBot[];
  createBot(options: BotOptions): SimulatedBot;
  createUser(options: UserOptions): SimulatedUser;
  createGuild(options: GuildOptions): SimulatedGuild;
  /** A channel by its id, also one a bot has made. */
  channel(id: string): SimulatedChannel;
  /** The next thing that happens of which `pick` makes something. */
  waitFor<T>(what: string, pick: (event: WorldEvent) => T | null, waiting?: Waiting): Promise<T>;
  /** Hears everything that happens; the function it returns ends it. */
  listen(listener: (event: WorldEvent) => void): () => void;
  /** Cuts every connection; the server goes on. */
  cut(): void;
  close(): Promise<void>;
};

const defaults = {
  heartbeatIntervalMs: 41_250,
  replayEvents: 2000,
  sessionTtlMs: 180_000,
  nonceTtlMs: 300_000,
  keptMessages: 10_000,
  limitFileBytes: 10 * 1024 * 1024,
};

/** Starts one. @throws the system's error when the port is taken. */
export async function startDiscordSimulator(options: DiscordSimulatorOptions = {}): Promise<DiscordSimulator> {
  const settings = { ...defaults, ...options };
  const world = createWorld({
    clock: options.clock ?? { now: () => Date.now() },
    random: options.random ?? Math.random,
    keptMessages: settings.keptMessages,
  });
  const interactions = createInteractions(world, settings.limitFileBytes);
  const limits = createRateLimits(world.clock, options.limits ?? {});
  const gateway = createGateway(world, { ...settings, isLimited: options.limits !== false });
  const nonces = createNonces(world, settings.nonceTtlMs);
  const router = createRouter(
    { world, interactions, gateway, nonces, limits, limitFileBytes: settings.limitFileBytes },
    [
      ...applicationRoutes,
      ...channelRoutes,
      ...messageRoutes,
      ...reactionRoutes,
      ...threadRoutes,
      ...guildRoutes,
      ...interactionRoutes,
    ],
  );
  const wire = await startWire({
    handle: (request) => serveFile(world, request) ?? router(request),
    onUpgrade: gateway.upgrade,
    onUnreadable: (reason) =>
      toAnswer(
        refusal(reason.includes("JSON") ? "invalidJson" : reason.includes("larger") ? "tooLarge" : "badRequest"),
      ),
    limitBytes: Math.max(25 * 1024 * 1024, settings.limitFileBytes * 2),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.keptRequests === undefined ? {} : { keptRequests: options.keptRequests }),
    ...(options.onDefect === undefined ? {} : { onDefect: options.onDefect }),
  });
  world.baseUrl = wire.url;
  const bots: SimulatedBot[] = [];
  const simulator = createHands({ world, interactions }, bots);
  for (const bot of options.bots ?? [{ token: "token" }]) simulator.createBot(bot);
  return {
    ...simulator,
    url: wire.url,
    apiUrl: `${wire.url}/api`,
    port: wire.port,
    faults: wire.faults,
    requests: wire.requests,
    get invalidRequests() {
      return limits.invalidRequests;
    },
    gateway: createGatewayControl(gateway),
    bots,
    cut: wire.cut,
    async close() {
      gateway.close();
      await wire.close();
    },
  };
}

type Hands = Pick<DiscordSimulator, "createBot" | "createUser" | "createGuild" | "channel" | "waitFor" | "listen">;

function createHands(stage: Stage, bots: SimulatedBot[]): Hands {
  const { world } = stage;
  const createUser = (options: UserOptions): User => keepUser(world, options);
  return {
    createBot(options) {
      if ([...world.applications.values()].some(({ token }) => token === options.token)) {
        throw new Error("two bots cannot have the same token: give each its own");
      }
      const bot = toBot(world, keepApplication(world, options));
      bots.push(bot);
      return bot;
    },
    createUser: (options) => createUserView(stage, createUser(options)),
    createGuild({ name, owner, bots: invited = bots }) {
      const ownerId = owner?.id ?? createUser({ name: `owner of ${name}` }).id;
      const view = createGuildView(stage, createGuild(stage, { name, ownerId }));
      for (const bot of invited) view.add(bot);
      return view;
    },
    channel(id) {
      const channel = world.channels.get(id);
      if (!channel) throw new Error(`there is no channel ${id}`);
      return createChannelView(stage, channel);
    },
    listen: (listener) => world.listen(listener),
    waitFor: (what, pick, waiting) => waitFor(world, { what, pick }, waiting),
  };
}

function keepUser(world: World, options: UserOptions): User {
  const user: User = {
    id: world.newId(),
    username: options.name,
    globalName: options.displayName ?? null,
    isBot: options.isBot ?? false,
    acceptsDirectMessages: options.acceptsDirectMessages ?? true,
  };
  world.users.set(user.id, user);
  return user;
}

function keepApplication(world: World, options: BotOptions): Application {
  const developer = keepUser(world, { name: "developer" });
  const { displayName } = options;
  const user = keepUser(world, {
    name: options.name ?? "Bot",
    isBot: true,
    ...(displayName === undefined ? {} : { displayName }),
  });
  const application: Application = {
    id: user.id,
    user,
    token: options.token,
    ownerId: developer.id,
    privilegedBits: privilegedBits(options.privilegedIntents),
    shards: options.shards ?? 1,
    maxConcurrency: options.maxConcurrency ?? 1,
  };
  world.applications.set(application.id, application);
  return application;
}

function toBot(world: World, application: Application): SimulatedBot {
  return {
    id: application.id,
    name: application.user.username,
    token: application.token,
    commands: (guild) => [...commandsOf(world, { applicationId: application.id, guildId: guild?.id ?? null }).values()],
    setPrivilegedIntents(names) {
      application.privilegedBits = privilegedBits(names);
    },
  };
}
