import type { ClientParts, PlatformSettings, Receive } from "@troupe/core";
import { isQuiet, readQuietHours } from "@troupe/core/decide";
import { ClientError, errorMessage } from "@troupe/core/errors";
import { type Access, createAccess } from "./access.ts";
import { createTwitterApi } from "./api.ts";
import { createBudget } from "./budget.ts";
import { openDirect } from "./direct.ts";
import { openSearch, openTargets, openTimeline } from "./engaging.ts";
import { type Failure, failureFields, readFailure, toClientError, toFatal } from "./errors.ts";
import type { Hearer } from "./inbound.ts";
import { keepValue } from "./kept-value.ts";
import { openLedger } from "./ledger.ts";
import type { ListeningParts } from "./listening.ts";
import { type Loop, runLoop } from "./loop.ts";
import { type Mentions, openMentions } from "./mentions.ts";
import type { TwitterOptions } from "./options.ts";
import { fieldsOf, type Person, readPerson } from "./payload.ts";
import { createPosts } from "./posts.ts";
import { createSending, type Sending } from "./sending.ts";
import type { LoopName, LoopSettings, TwitterSettings } from "./settings.ts";
import { createSpending, readSpent } from "./spending.ts";
import { openTokens } from "./tokens.ts";

/** An account that is connected. It ends when its signal aborts, or X refuses for good. */
export type Session = {
  readonly account: string;
  readonly sending: Sending;
  /** Begins what is switched on. */
  begin(): void;
};

/** What a session is made of beside its options. */
type SessionParts = ClientParts & {
  readonly settings: TwitterSettings;
  readonly receive: Receive;
  readonly signal: AbortSignal;
};

const longestPauseMs = 60_000;

/**
 * Connects: learns whose account it is, and begins what is switched on. As long as X cannot be reached it goes on trying.
 * @throws ClientError when X refuses for good.
 */
export async function openSession(options: TwitterOptions, parts: SessionParts): Promise<Session> {
  const { clock, log, settings, state } = parts;
  const ending = new AbortController();
  const signal = AbortSignal.any([parts.signal, ending.signal]);
  const fail = (error: ClientError): void => {
    if (signal.aborted) return;
    log.error({ platform: "twitter" }, `X is left: ${error.message}`);
    ending.abort(error);
  };
  const isDry = options.dryRun === true || settings.isDry;
  const caller =
    "clientId" in options.credentials ? openTokens(options.credentials, { ...options, clock }) : options.credentials;
  const api = await createTwitterApi({ ...options, dryRun: isDry }, caller, log);
  parts.signal.addEventListener("abort", () => api.close(), { once: true });
  const spent = await keepValue(state, { key: "spent", empty: { day: "", microUsd: 0 }, read: readSpent });
  const spending = createSpending(settings.dailySpendUsd, { kept: spent, clock });
  const access = createAccess({ api, budget: createBudget(clock), spending, clock, log, onFatal: fail });
  const me = await untilKnown(access, { ...parts, signal: parts.signal }, options.account);
  const ledger = await openLedger(state);
  const hearer = (): Hearer => ({
    account: me.id,
    username: me.username,
    agentName: options.agentName,
    agentId: options.agentId,
    now: clock.now(),
    answerWithinMs: settings.answerWithinMs,
  });
  const listening: ListeningParts = { ...parts, access, ledger, hearer, signal };
  const topics = options.topics ?? [];
  const { mentions, begin } = await openLoops(listening, { topics, settings: options.settings, fail, isDry });
  const sending = createSending({
    ...{ access, ledger, settings, clock, log, signal },
    account: me.id,
    username: () => me.username,
    download: (url, limitBytes, given) => api.download(url, limitBytes, given),
    newestOf: (conversation) => mentions?.newestOf(conversation),
  });
  return { account: me.id, sending, begin };
}

type Beginning = {
  readonly topics: readonly string[];
  readonly settings: PlatformSettings;
  readonly fail: (error: ClientError) => void;
  readonly isDry: boolean;
};

/** Opens every loop that is switched on. @throws StoreError when what they keep cannot be read. */
async function openLoops(
  parts: ListeningParts,
  beginning: Beginning,
): Promise<{ readonly mentions: Mentions | null; begin(): void }> {
  const { settings, log, clock, signal, random } = parts;
  const { topics, fail } = beginning;
  const hours = readQuietHours(beginning.settings.quietHours ?? "");
  const zone = beginning.settings.timeZone ?? "UTC";
  const own = { ...parts, topics, random, isQuiet: () => hours !== null && isQuiet(hours, clock.now(), zone) };
  let mentions: Mentions | null = null;
  const openers: Readonly<Record<LoopName, (restMs: LoopSettings["restMs"]) => Promise<Loop> | Loop>> = {
    async mentions(restMs) {
      mentions = await openMentions(parts, restMs);
      return mentions.loop;
    },
    posts: (restMs) => createPosts(own, restMs),
    timeline: (restMs) => openTimeline(own, restMs),
    search: (restMs) => openSearch(own, restMs),
    targets: (restMs) => openTargets(own, restMs),
    direct: (restMs) => openDirect(parts, restMs),
  };
  const loops: Loop[] = [];
  for (const [name, { restMs }] of settings.loops) loops.push(await openers[name](restMs));
  const runOne = async (loop: Loop): Promise<void> => {
    try {
      await runLoop(loop, parts);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ClientError && error.code === "unauthorized") fail(error);
      else log.error({ loop: loop.name, error: errorMessage(error) }, "a loop ended; start again to have it back");
    }
  };
  return {
    mentions,
    begin() {
      log.info({ loops: [...settings.loops.keys()], dryRun: beginning.isDry }, "on X");
      for (const loop of loops) void runOne(loop);
    },
  };
}

/** Asks until X says whose account it is. @throws ClientError when it is a refusal for good, or another account. */
async function untilKnown(access: Access, parts: SessionParts, expected: string | undefined): Promise<Person> {
  const { clock, random, log, signal } = parts;
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await askWho(access, expected, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureToBear(error, clock.now());
      if (failures === 0) log.warn(failureFields(failure), "X does not answer; asking again until it does");
      const retryInMs = "retryInMs" in failure ? failure.retryInMs : undefined;
      const pauseMs = Math.min(longestPauseMs, 1_000 * 2 ** failures) * (0.5 + random() / 2);
      await clock.sleep(retryInMs ?? pauseMs, signal);
    }
  }
}

async function askWho(access: Access, expected: string | undefined, signal: AbortSignal): Promise<Person> {
  const body = await access.call({ method: "GET", path: "users/me" }, { importance: "first", signal });
  const me = readPerson(fieldsOf(body)?.["data"]);
  if (!me) {
    throw new ClientError(
      "invalid",
      "What answers in X's place does not say whose account it is; check TWITTER_API_ROOT.",
    );
  }
  if (expected === undefined || me.id === expected) return me;
  throw new ClientError("conflict", `The keys belong to account ${me.id}, not to ${expected}; correct one of them.`);
}

/** A failure that waiting may mend. @throws ClientError the others. */
function failureToBear(error: unknown, now: number): Failure {
  if (error instanceof ClientError && error.code !== "exhausted" && error.code !== "unavailable") throw error;
  const failure = readFailure(error, now);
  const fatal = toFatal(failure);
  if (fatal) throw fatal;
  if (failure.type === "refused" && failure.retryInMs === undefined) {
    throw toClientError(failure, "the question whose account it is");
  }
  return failure;
}
