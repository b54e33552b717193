import type { Agent } from "node:https";
import { type Faults, startWire, type WireRequest } from "@troupe/simulator-wire";
import { createApi } from "./api.ts";
import { approve, deny, readWish } from "./auth/oauth2.ts";
import {
  type App,
  type AppOptions,
  createApp,
  createRegistry,
  createToken,
  type Registry,
  type Token,
} from "./auth/registry.ts";
import { type Clock, machineClock } from "./clock.ts";
import type { Rules } from "./endpoints/route.ts";
import type { EndpointLimits } from "./limits/limit-table.ts";
import { createMeter, type Meter, type PriceKind } from "./limits/meter.ts";
import { createRateLimits } from "./limits/rate-limits.ts";
import { loopbackAgent } from "./loopback-agent.ts";
import { createPageFaults, type PageFaults } from "./page-faults.ts";
import { invalidRequest } from "./problem.ts";
import { createSimulatedUser, type SimulatedUser } from "./simulated-user.ts";
import { createUser, type UserOptions } from "./world/people.ts";
import { createWorld, findByUsername, type Post, type World } from "./world/world.ts";

/** What a simulator is to be like; X's documented behaviour where nothing is said. */
export type TwitterSimulatorOptions = {
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  /** Any free port when absent. */
  readonly port?: number;
  /** The time of posts, limits, tokens and prices; the machine's when absent. */
  readonly clock?: Clock;
  /** The time that OAuth 1.0a signatures are held against; the machine's when absent, because clients sign with theirs. */
  readonly signatureClock?: Clock;
  /** How far off a signature's time may be; 5 minutes when absent. */
  readonly signatureWindowMs?: number;
  /**
   * Whom the API lets an account reply to and quote: "summoned", only posts whose author has mentioned or quoted it, as on every
   * plan but Enterprise since February 2026; "everybody", as before. "summoned" when absent.
   */
  readonly replies?: "summoned" | "everybody";
  /** How long the same text counts as a duplicate; a day when absent. */
  readonly duplicateWindowMs?: number;
  /** How many posts, reposts among them, an account may make in 24 hours, at a screen or not; 2,400 when absent. */
  readonly postsPerDay?: number;
  /** How long a video is worked on; 0 when absent. */
  readonly videoProcessingMs?: number;
  /** Limits that differ from X's, by endpoint: `{ "POST /2/tweets": { user: 100, userDay: 17 } }`. */
  readonly limits?: Readonly<Record<string, EndpointLimits>>;
  /** Prices that differ from X's, in US dollars. */
  readonly prices?: Partial<Record<PriceKind, number>>;
  /** What may be spent before X refuses with 402, in US dollars; without end when absent. */
  readonly creditUsd?: number;
  /** How many posts an app may read in a month before X refuses; without end when absent. */
  readonly monthlyPosts?: number;
  /** Told of a defect of the simulator. */
  readonly onDefect?: (error: unknown) => void;
};

/** The keys a client is given: four of OAuth 1.0a. */
export type Credentials = {
  readonly appKey: string;
  readonly appSecret: string;
  readonly accessToken: string;
  readonly accessSecret: string;
};

/** X on one's own machine. */
export type TwitterSimulator = {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`; clients sign for `https://api.x.com` all the same. */
  readonly url: string;
  /** An agent that brings a client to this simulator. */
  agent(): Agent;
  /** Makes an account. */
  createUser(options: UserOptions): SimulatedUser;
  /** The account of this name. */
  user(username: string): SimulatedUser | undefined;
  /** Every account, in the order in which they came. */
  users(): readonly SimulatedUser[];
  /** Registers an app. */
  createApp(options?: AppOptions): App;
  /** The four keys of an account for an app; one app is made for all who name none. */
  credentials(user: SimulatedUser, app?: App): Credentials;
  /** Says yes on the page an authorization address leads to; the address to return to. @throws Error for an address that is refused. */
  approve(address: string, user: SimulatedUser): string;
  /** Says no there. */
  deny(address: string): string;
  /** Makes an app's own account the owner of its developer account, whose reads of its own data cost less. */
  setOwner(app: App, user: SimulatedUser): void;
  /** Takes back every token an account has given out, to one app or to all. */
  revoke(user: SimulatedUser, app?: App): void;
  /** Every post that is not deleted, oldest first. */
  posts(): readonly Post[];
  /** Who likes a post, by name. */
  likesOf(post: Post | string): readonly string[];
  /** Resolves with the first answer that is neither false, null nor undefined; asks now and after every change. */
  until<T>(ask: () => T | false | null | undefined, signal?: AbortSignal): Promise<T>;
  /** What goes wrong with requests. */
  readonly faults: Faults;
  /** What goes wrong with pages of results. */
  readonly pageFaults: PageFaults;
  /** What was asked, newest last. */
  readonly requests: readonly WireRequest[];
  /** What it cost. */
  readonly meter: Meter;
  /** What may be spent from now on, in US dollars. */
  setCredit(usd: number): void;
  /** Leaves this many requests in the present windows of an endpoint, for the next who calls. */
  leaveRequests(endpoint: string, remaining: number): void;
  /** Cuts every open connection. */
  cut(): void;
  /** Ends it; whoever still waits is told. */
  close(): Promise<void>;
};

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Starts a simulator. @throws the system's error when the port is taken. */
export async function startTwitterSimulator(options: TwitterSimulatorOptions = {}): Promise<TwitterSimulator> {
  const clock = options.clock ?? machineClock;
  const world = createWorld(clock);
  const registry = createRegistry();
  const rules = rulesOf(options);
  const meter = createMeter(clock, options.prices);
  const limits = createRateLimits(clock, options.limits);
  const pageFaults = createPageFaults();
  let creditUsd = options.creditUsd ?? Number.POSITIVE_INFINITY;
  const handle = createApi({
    world,
    registry,
    rules,
    meter,
    limits,
    signatureClock: options.signatureClock ?? machineClock,
    signatureWindowMs: options.signatureWindowMs ?? 5 * minuteMs,
    hosts: ["api.x.com", "api.twitter.com"],
    creditUsd: () => creditUsd,
    monthlyPosts: () => options.monthlyPosts ?? Number.POSITIVE_INFINITY,
    disturb: pageFaults.apply,
  });
  const wire = await startWire({
    handle,
    onUnreadable: (reason) => {
      const { status, body } = invalidRequest({ parameters: {}, message: reason });
      return { status, body };
    },
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.onDefect === undefined ? {} : { onDefect: options.onDefect }),
  });
  const closing = new AbortController();
  return {
    ...accounts({ world, registry, rules, clock }),
    host: wire.host,
    port: wire.port,
    url: wire.url,
    agent: () => loopbackAgent(wire.port),
    until: (ask, signal) =>
      until(world, ask, signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])),
    faults: wire.faults,
    pageFaults,
    requests: wire.requests,
    meter,
    setCredit: (usd) => {
      creditUsd = usd;
    },
    leaveRequests: limits.leave,
    cut: wire.cut,
    close: () => {
      closing.abort(new Error("the simulator was closed while somebody waited for something in it"));
      return wire.close();
    },
  };
}

function rulesOf(options: TwitterSimulatorOptions): Rules {
  return {
    onlySummoned: (options.replies ?? "summoned") === "summoned",
    duplicateWindowMs: options.duplicateWindowMs ?? dayMs,
    postsPerDay: options.postsPerDay ?? 2400,
    videoProcessingMs: options.videoProcessingMs ?? 0,
  };
}

type Accounts = Pick<
  TwitterSimulator,
  | "createUser"
  | "user"
  | "users"
  | "createApp"
  | "credentials"
  | "approve"
  | "deny"
  | "setOwner"
  | "revoke"
  | "posts"
  | "likesOf"
>;
type AccountParts = {
  readonly world: World;
  readonly registry: Registry;
  readonly rules: Rules;
  readonly clock: Clock;
};

function accounts({ world, registry, rules, clock }: AccountParts): Accounts {
  let usualApp: App | undefined;
  const appOf = (app: App | undefined): App => {
    usualApp ??= app ?? createApp(registry, { name: "Troupe" });
    return app ?? usualApp;
  };
  return {
    createUser: (user) => createSimulatedUser(world, createUser(world, user), rules),
    user(username) {
      const found = findByUsername(world, username);
      return found === undefined ? undefined : createSimulatedUser(world, found, rules);
    },
    users: () => [...world.users.values()].map((user) => createSimulatedUser(world, user, rules)),
    createApp: (app) => createApp(registry, app),
    credentials(user, app) {
      const used = appOf(app);
      const { accessToken, accessSecret } = tokenOf(registry, used, user.id);
      return { appKey: used.key, appSecret: used.secret, accessToken, accessSecret };
    },
    approve: (address, user) => approve({ registry, clock }, wishAt(registry, address), user.id),
    deny: (address) => deny(wishAt(registry, address)),
    setOwner: (app, user) => {
      app.ownerId = user.id;
    },
    revoke(user, app) {
      for (const given of [...registry.tokens.values(), ...registry.grants]) {
        if (given.userId === user.id && (app === undefined || given.appId === app.id)) given.isRevoked = true;
      }
    },
    posts: () => [...world.posts.values()].filter((post) => !post.isDeleted),
    likesOf: (post) =>
      world.likes
        .to(typeof post === "string" ? post : post.id)
        .flatMap(({ id }) => world.users.get(id)?.username ?? []),
  };
}

// X's page shows the same token again until it is made anew.
function tokenOf(registry: Registry, app: App, userId: string): Token {
  const known = [...registry.tokens.values()].find(
    (token) => token.appId === app.id && token.userId === userId && !token.isRevoked,
  );
  return known ?? createToken(registry, app, userId);
}

function wishAt(registry: Registry, address: string): Exclude<ReturnType<typeof readWish>, string> {
  const wish = readWish(registry, new URL(address).searchParams);
  if (typeof wish === "string") throw new Error(`X would refuse this address: ${wish}`);
  return wish;
}

function until<T>(world: World, ask: () => T | false | null | undefined, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stop();
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(signal.reason);
    };
    const check = (): void => {
      try {
        const answer = ask();
        if (answer === false || answer === null || answer === undefined) return;
        end();
        resolve(answer);
      } catch (error) {
        end();
        reject(error);
      }
    };
    const stop = world.onChange(check);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort);
    check();
  });
}
