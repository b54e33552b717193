import type { Client, ClientParts, Delivery, DeliveryKind, Receive, SendResult } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { createDiscordApi, type DiscordApi } from "./api.ts";
import { choiceLimit } from "./choices.ts";
import { registerCommands } from "./commands.ts";
import { createCursors } from "./cursors.ts";
import { toClientError } from "./errors.ts";
import { connectGateway, type Gateway } from "./gateway.ts";
import { type Identity, identify } from "./identify.ts";
import { createInteractions } from "./interactions.ts";
import { createListening } from "./listening.ts";
import { checkOptions, type DiscordOptions, type DiscordSettings, readSettings } from "./options.ts";
import { textLength } from "./outbound.ts";
import { idAt } from "./read.ts";
import { createRoomQueues } from "./room-queues.ts";
import { createSending, type Sending } from "./sending.ts";
import { createTyping } from "./typing.ts";

/** Discord lets a channel's messages be edited about five times in 5 s; the last slot is the final text's. */
const editIntervalMs = 1_200;
const usualTimeoutMs = 15_000;

/**
 * One bot on Discord: hears messages, commands and what else happens; sends are shown once by their nonce, or looked up.
 * @throws ConfigError when an option or a setting cannot be.
 */
export function createDiscordClient(options: DiscordOptions, parts: ClientParts): Client {
  checkOptions(options);
  const settings = readSettings(options.settings);
  const line = new Line({ options, settings, parts });
  const orNotYet = async (use: (sending: Sending) => Promise<SendResult>): Promise<SendResult> =>
    line.sending ? use(line.sending) : notYet;
  const social: readonly DeliveryKind[] = [
    "like",
    "quote",
    ...(settings.forwardTo === null ? [] : ["retweet" as const]),
  ];
  return {
    platform: "discord",
    get account() {
      return line.identity?.userId ?? options.account ?? options.agentName;
    },
    limits: { textLength, unit: "codepoints" },
    start: (receive, signal) => line.open(receive, signal),
    send: (delivery, signal) => orNotYet((sending) => sending.send(delivery, signal)),
    guarantee: () => "nonce",
    edits: {
      intervalMs: editIntervalMs,
      edit: (platformId, delivery, final) => orNotYet((sending) => sending.edit(platformId, delivery, final)),
      remove: (platformId, delivery) => orNotYet((sending) => sending.remove(platformId, delivery)),
    },
    typing: createTyping({ api: () => line.api, clock: parts.clock, log: parts.log }),
    social,
    choices: { limit: choiceLimit },
    async lookup(delivery: Delivery) {
      if (!line.sending)
        throw new ClientError("unavailable", "Discord is not connected yet; the message is looked for later.");
      return line.sending.lookup(delivery);
    },
  };
}

const notYet: SendResult = { type: "not-sent", retryInMs: 1_000, error: "Discord is not connected yet." };

type LineParts = { readonly options: DiscordOptions; readonly settings: DiscordSettings; readonly parts: ClientParts };

/** States: closed → connecting (tries again while that may help) → open → closed for good. Sending goes on after hearing ends. */
class Line {
  readonly #parts: LineParts;
  identity: Identity | null = null;
  api: DiscordApi | null = null;
  sending: Sending | null = null;
  #wasOpened = false;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  async open(receive: Receive, signal: AbortSignal): Promise<void> {
    const { options, parts } = this.#parts;
    signal.throwIfAborted();
    if (this.#wasOpened)
      throw new ClientError(
        "conflict",
        `The Discord client of ${options.agentName} was started already; make another one.`,
      );
    this.#wasOpened = true;
    const { token, rest, timeoutMs = usualTimeoutMs, requestsPerSecond, dryRun: isDry = false } = options;
    const api = await createDiscordApi({
      token,
      api: rest?.api,
      timeoutMs,
      requestsPerSecond,
      isDry,
      clock: parts.clock,
      log: parts.log,
    });
    signal.addEventListener("abort", () => api.close(), { once: true });
    const identity = await this.#insist(() => identify(api, signal), signal);
    this.api = api;
    this.identity = identity;
    this.#warnOfIntents(identity);
    await parts.whenReady?.();
    await registerCommands(parts.commands(), {
      api,
      applicationId: identity.applicationId,
      state: parts.state,
      log: parts.log,
    });
    await this.#listen(api, identity, { receive, signal });
  }

  async #listen(
    api: DiscordApi,
    identity: Identity,
    { receive, signal: given }: { readonly receive: Receive; readonly signal: AbortSignal },
  ): Promise<void> {
    const { options, settings, parts } = this.#parts;
    const { clock, log, state, commands } = parts;
    const fatal = new AbortController();
    const signal = AbortSignal.any([given, fatal.signal]);
    const { userId: account, applicationId } = identity;
    const { agentId, agentName } = options;
    const hearer = { agentId, agentName, account };
    const cursors = createCursors({ state, clock, log, signal });
    const queues = createRoomQueues({ clock, log, signal });
    const interactions = createInteractions({ api, applicationId, clock, log, signal });
    const { isFirst } = await cursors.load();
    if (isFirst) cursors.startAt(idAt(clock.now()));
    let gateway: Gateway | null = null;
    const place = (id: string) => gateway?.directory.place(id) ?? null;
    const newestIn = (room: string) => cursors.seenLately(room);
    this.sending = createSending({
      api,
      applicationId,
      account,
      settings,
      interactions,
      state,
      clock,
      log,
      place,
      newestIn,
    });
    const listening = createListening({
      hearer,
      settings,
      api,
      interactions,
      cursors,
      queues,
      state,
      commands,
      receive,
      clock,
      log,
      signal,
    });
    const { token, rest, shards = 1 } = options;
    const { statusText } = settings;
    const { hasMembers, hasContent } = identity;
    gateway = await this.#insist(
      () =>
        connectGateway(
          { token, api: rest?.api, shards, statusText, hasMembers, hasContent, log },
          {
            onEvent: (name, data, directory) => listening.onEvent(name, data, directory),
            onFatal: (error) => {
              log.error(
                { code: error.code, error: error.message },
                "Discord closed the connection for good; nothing is heard there any more",
              );
              fatal.abort(error);
            },
          },
          signal,
        ),
      signal,
    );
    this.#closeWith(gateway, signal, () => cursors.flush());
  }

  #closeWith(gateway: Gateway, signal: AbortSignal, flush: () => Promise<void>): void {
    const { log } = this.#parts.parts;
    const close = (): void => {
      Promise.all([gateway.close(), flush()]).catch((error: unknown) => {
        log.debug({ error: String(error) }, "closing the connection to Discord failed");
      });
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  }

  /** Tries until it succeeds, is refused for good, or is called off. */
  async #insist<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, log } = this.#parts.parts;
    for (let failures = 0; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        const failure = toClientError(error);
        if (signal.aborted || failure.code !== "unavailable") throw failure;
        const waitMs = Math.min(30_000, Math.max(failure.retryAfterMs ?? 0, 500 * 2 ** failures));
        log.warn({ error: failure.message, waitMs }, "Discord cannot be reached yet; trying again");
        await clock.sleep(waitMs, signal);
      }
    }
  }

  #warnOfIntents({ hasContent, hasMembers }: Identity): void {
    const { log } = this.#parts.parts;
    if (!hasContent) {
      log.warn(
        {},
        "the bot reads only direct messages and mentions: switch on Message Content Intent under Bot in the developer portal",
      );
    }
    if (!hasMembers)
      log.info({}, "joins and leaves are not told: Server Members Intent is off in the developer portal");
  }
}
