import type { Client, ClientParts, Delivery, Receive, SendResult } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { telegramRates } from "./budget.ts";
import { buttonLimit } from "./choices.ts";
import { botIdOf, readSettings, type TelegramOptions, textLimit } from "./options.ts";
import type { Session } from "./session.ts";

/** A bot on Telegram, with what only Telegram's has. */
export type TelegramClient = Client & {
  /** Answers a request Telegram made to the webhook's address, for a program that listens itself. */
  handleWebhook(request: Request): Promise<Response>;
};

/**
 * One character's voice and ears on Telegram. Telegram knows no key for a message, so that nobody can know about one whose
 * sending broke off: the room's `onUnknown` decides. A reaction may be set as often as one likes.
 * @throws ConfigError for a token that is none, or settings that cannot be.
 */
export function createTelegramClient(options: TelegramOptions, parts: ClientParts): TelegramClient {
  const settings = readSettings(options.settings);
  const account = options.account ?? botIdOf(options.token);
  const rates = options.rates ?? telegramRates;
  let session: Session | null = null;
  let wasStarted = false;

  const notConnected: SendResult = {
    type: "not-sent",
    retryInMs: 1_000,
    error: `Telegram (account ${account}) is not connected yet.`,
  };
  const connected = (): Session => {
    if (session) return session;
    throw new ClientError("unavailable", `Telegram (account ${account}) is not connected; start the client first.`);
  };

  return {
    platform: "telegram",
    account,
    limits: { textLength: textLimit, unit: "utf16" },
    async start(receive: Receive, signal: AbortSignal) {
      signal.throwIfAborted();
      if (wasStarted)
        throw new ClientError("conflict", `The Telegram client of ${account} was started already; make another one.`);
      wasStarted = true;
      const { openSession } = await import("./session.ts");
      session = await openSession({ ...options, account, rates }, { ...parts, settings, receive, signal });
    },
    send: async (delivery, signal) => (session ? session.sending.send(delivery, signal) : notConnected),
    guarantee: (kind) => (kind === "like" ? "nonce" : "none"),
    onUnknown({ target, kind }: Pick<Delivery, "target" | "kind">) {
      const [chatId = target] = target.split("/");
      const { onUnknown } = settings;
      const chosen = onUnknown.get(target) ?? onUnknown.get(chatId) ?? onUnknown.get("*");
      return chosen ?? (kind === "retweet" ? "hold" : undefined);
    },
    edits: {
      intervalMs: rates === false ? 0 : Math.ceil((rates.perChat.windowMs / rates.perChat.messages) * 1.05),
      edit: async (platformId, delivery, isFinal) =>
        session ? session.sending.edit(platformId, delivery, isFinal) : notConnected,
      remove: async (platformId, delivery) => (session ? session.sending.remove(platformId, delivery) : notConnected),
    },
    typing: { start: (room) => session?.typing.start(room) ?? (() => undefined) },
    choices: { limit: buttonLimit },
    social: settings.forwardTo === undefined ? ["like", "quote"] : ["like", "quote", "retweet"],
    // Telegram brings it again once the client is connected.
    handleWebhook: async (request) => session?.handleWebhook(request) ?? new Response(null, { status: 503 }),
    attachments: { fetch: async (url, signal) => ({ bytes: await connected().fetchAttachment(url, signal) }) },
  };
}
