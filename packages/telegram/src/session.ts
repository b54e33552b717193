import type { ClientParts, Receive, Typing } from "@troupe/core";
import { ClientError, errorMessage, StoreError } from "@troupe/core/errors";
import { createTelegramApi, listen, type TelegramApi } from "./api.ts";
import { createBudget, type Rates } from "./budget.ts";
import { createChoices } from "./choices.ts";
import { registerCommands } from "./commands.ts";
import { failureFields, readFailure, shortError, toFatal } from "./errors.ts";
import { createListening, type Listening } from "./listening.ts";
import type { TelegramOptions, TelegramSettings } from "./options.ts";
import { type Fields, fieldsOf, integerIn, textIn } from "./payload.ts";
import { pollUpdates } from "./polling.ts";
import { createSending, type Sending } from "./sending.ts";
import { createTyping } from "./typing.ts";
import { wantedUpdates } from "./updates.ts";
import { answerWebhook, secretTokenOf } from "./webhook.ts";

/** A bot that is connected. It ends when its signal aborts. */
export type Session = {
  readonly sending: Sending;
  readonly typing: Typing;
  handleWebhook(request: Request): Promise<Response>;
  fetchAttachment(url: string, signal: AbortSignal): Promise<Uint8Array>;
};

/** What a session is made of beside its options. */
type SessionParts = ClientParts & {
  readonly settings: TelegramSettings;
  readonly receive: Receive;
  readonly signal: AbortSignal;
};

type SessionOptions = TelegramOptions & { readonly account: string; readonly rates: Rates | false };

const usualPollMs = 50_000;
const longestPauseMs = 30_000;

/** The bot, as Telegram knows it. */
type Me = { readonly botId: number; readonly username: string };

/**
 * Connects: learns who the bot is, and begins to hear. As long as Telegram cannot be reached it goes on trying.
 * @throws ClientError when Telegram refuses for good.
 */
export async function openSession(options: SessionOptions, parts: SessionParts): Promise<Session> {
  const { clock, log, signal, state, settings } = parts;
  const api = await createTelegramApi(options, log);
  const me = readMe(await untilAnswered(parts, () => api.call("getMe", {}, { signal })), options.account);
  const choices = createChoices(state);
  const listening = createListening({
    ...parts,
    ...me,
    agentId: options.agentId,
    agentName: options.agentName,
    choices,
    api,
    account: options.account,
  });
  const budget = createBudget(options.rates, clock);
  const sending = createSending({ api, budget, choices, settings, clock, log, signal });
  const secretToken = options.webhook?.secretToken ?? secretTokenOf(options.token);
  const handleWebhook = (request: Request): Promise<Response> =>
    answerWebhook(request, { secretToken, accept: listening.acceptOnce });
  if (options.webhook) await openWebhook({ api, parts, webhook: options.webhook, secretToken, handleWebhook });
  else await openPolling({ api, parts, listening, pollMs: options.pollMs ?? usualPollMs });
  void tellCommands(api, parts);
  return {
    sending,
    typing: createTyping({ show: sending.showTyping, clock, signal }),
    handleWebhook,
    fetchAttachment: (url, given) => api.download(url, AbortSignal.any([given, signal])),
  };
}

function readMe(result: unknown, account: string): Me {
  const fields = fieldsOf(result);
  const botId = integerIn(fields, "id");
  if (botId === undefined) {
    throw new ClientError("unavailable", "What answers at Telegram's address is no Bot API server; check apiRoot.");
  }
  if (String(botId) === account) return { botId, username: textIn(fields, "username") ?? "" };
  throw new ClientError(
    "conflict",
    `The token belongs to bot ${botId}, not to account ${account}; correct one of them.`,
  );
}

/** Asks until there is an answer. @throws ClientError when it is a refusal for good; the signal's reason when it aborts. */
async function untilAnswered(parts: SessionParts, ask: () => Promise<unknown>): Promise<unknown> {
  const { clock, random, log, signal } = parts;
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const failure = readFailure(error);
      const fatal = toFatal(failure);
      if (fatal) throw fatal;
      if (failure.type === "refused" && failure.retryInMs === undefined) {
        throw new ClientError("invalid", `Telegram refused to begin: ${shortError(failure.description)}.`, {
          cause: error,
        });
      }
      if (failures === 0) log.warn(failureFields(failure), "Telegram does not answer; asking again until it does");
      const retryInMs = failure.type === "refused" ? failure.retryInMs : undefined;
      const pauseMs = Math.min(longestPauseMs, 1_000 * 2 ** failures) * (0.5 + random() / 2);
      await clock.sleep(retryInMs ?? pauseMs, signal);
    }
  }
}

type Opening = { readonly api: TelegramApi; readonly parts: SessionParts };

/** Begins to ask for updates. A webhook that was left behind would stand in the way and is taken away; what waits stays. */
async function openPolling(
  opening: Opening & { readonly listening: Listening; readonly pollMs: number },
): Promise<void> {
  const { api, parts, listening, pollMs } = opening;
  const { clock, random, log, signal } = parts;
  const webhook = fieldsOf(await untilAnswered(parts, () => api.call("getWebhookInfo", {}, { signal })));
  if ((textIn(webhook, "url") ?? "") !== "") {
    log.warn({}, "the bot had a webhook; it is deleted, for updates are asked for from now on");
    await untilAnswered(parts, () => api.call("deleteWebhook", { drop_pending_updates: false }, { signal }));
  }
  void pollUpdates({ api, clock, random, log, pollMs, accept: listening.accept, signal }).catch((error: unknown) => {
    const remedy = error instanceof ClientError ? error.message : shortError(error);
    log.error({ platform: "telegram" }, `Telegram is not listened to any more: ${remedy}`);
  });
}

type WebhookOpening = Opening & {
  readonly webhook: NonNullable<TelegramOptions["webhook"]>;
  readonly secretToken: string;
  readonly handleWebhook: (request: Request) => Promise<Response>;
};

/** Listens where it is to, then tells Telegram; the address stays with Telegram, which keeps what comes until the next start. */
async function openWebhook({ api, parts, webhook, secretToken, handleWebhook }: WebhookOpening): Promise<void> {
  const { log, signal } = parts;
  if (webhook.port !== undefined) {
    const { port, host } = webhook;
    const listening = await listen({ port, handle: handleWebhook, log, ...(host !== undefined && { host }) });
    const close = (): void => void listening.close();
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
    log.info({ port: listening.port }, "listening for Telegram's webhook");
  }
  const payload = { url: webhook.url, secret_token: secretToken, allowed_updates: wantedUpdates, max_connections: 40 };
  await untilAnswered(parts, () => api.call("setWebhook", payload, { signal }));
}

/** Commands are a comfort: without them everything else goes on. */
async function tellCommands(
  api: TelegramApi,
  { commands, whenReady, state, log, signal }: SessionParts,
): Promise<void> {
  try {
    await whenReady?.();
    await registerCommands(commands(), {
      state,
      set: (wanted) => api.call("setMyCommands", { commands: wanted } satisfies Fields, { signal }),
    });
  } catch (error) {
    if (signal.aborted) return;
    const told = error instanceof StoreError ? { error: errorMessage(error) } : failureFields(readFailure(error));
    log.warn(told, "Telegram was not told the commands; it will be at the next start");
  }
}
