import { createServer } from "node:http";
import type { Log } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { fileScheme } from "./attachments.ts";
import type { TelegramOptions } from "./options.ts";
import { type Fields, fieldsOf, textIn } from "./payload.ts";

/** The Bot API of one bot, and the only place of this client that touches the network. */
export type TelegramApi = {
  /**
   * Calls a method. In a dry run one that writes is not called: it gives `{ dryId }`, made up, beginning with `dry-`.
   * @throws what telegraf throws; read it with `readFailure`.
   */
  call(method: string, payload: Fields, options: CallOptions): Promise<unknown>;
  /** The bytes of a file, by its `troupe-telegram:` address. @throws ClientError when there is none. */
  download(url: string, signal: AbortSignal): Promise<Uint8Array>;
};

/** How long and for whom. */
type CallOptions = {
  readonly signal: AbortSignal;
  /** The usual time when absent. */
  readonly timeoutMs?: number;
};

/** Methods that change nothing on Telegram that anybody could see. */
const reading: ReadonlySet<string> = new Set([
  "getMe",
  "getUpdates",
  "getWebhookInfo",
  "getFile",
  "getChat",
  "getChatMember",
  "getMyCommands",
]);

const usualTimeoutMs = 30_000;
const uploadTimeoutMs = 180_000;

/** What of telegraf is used: its calls, with methods and payloads as they are in the documentation. */
type Caller = {
  callApi(method: string, payload: object, options: { readonly signal: AbortSignal }): Promise<unknown>;
};

/** Loads telegraf and makes a connection; nothing is asked yet. */
export async function createTelegramApi(
  options: Pick<TelegramOptions, "token" | "apiRoot" | "dryRun" | "requestTimeoutMs">,
  log: Log,
): Promise<TelegramApi> {
  const { Telegram } = await import("telegraf");
  const { apiRoot = "https://api.telegram.org", requestTimeoutMs = usualTimeoutMs } = options;
  const token = options.token.trim();
  // telegraf types every method and its signal by a shim; what goes over the wire is the same.
  const telegram = new Telegram(token, { apiRoot, webhookReply: false }) as unknown as Caller;
  let dryRuns = 0;

  const call: TelegramApi["call"] = async (method, payload, { signal, timeoutMs }) => {
    if (options.dryRun === true && !reading.has(method)) {
      dryRuns += 1;
      log.info({ method, chatId: payload["chat_id"] }, "a dry run: this would have been sent");
      return { dryId: `dry-${dryRuns}` };
    }
    const isUpload = hasUpload(payload);
    const body = isUpload ? forForm(payload) : payload;
    const limitMs = timeoutMs ?? (isUpload ? uploadTimeoutMs : requestTimeoutMs);
    return within(limitMs, signal, (both) => telegram.callApi(method, body, { signal: both }));
  };

  return {
    call,
    async download(url, signal) {
      const fileId = url.startsWith(fileScheme) ? url.slice(fileScheme.length) : "";
      const path = textIn(fieldsOf(await call("getFile", { file_id: fileId }, { signal })), "file_path");
      if (path === undefined) {
        throw new ClientError("not_found", "Telegram does not hand out this file: bots get files of at most 20 MB.");
      }
      return within(uploadTimeoutMs, signal, async (both) => {
        const response = await fetch(new URL(`/file/bot${token}/${path}`, apiRoot), { signal: both });
        if (response.ok) return new Uint8Array(await response.arrayBuffer());
        const status = `HTTP ${response.status}`;
        throw new ClientError("unavailable", `Telegram did not give a file (${status}); try again later.`);
      });
    },
  };
}

/** Calls work off when it takes too long, and leaves no timer behind when it does not. */
async function within<T>(limitMs: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  timer.unref();
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function hasUpload(payload: Fields): boolean {
  return Object.values(payload).some((value) => fieldsOf(value)?.["source"] !== undefined);
}

/** In a form everything but files is text; telegraf would leave out what is neither. */
function forForm(payload: Fields): Fields {
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => {
      const fields = fieldsOf(value);
      return [name, fields && fields["source"] === undefined ? JSON.stringify(fields) : value];
    }),
  );
}

/** Where to listen, and what answers. */
export type Listening = {
  readonly port: number;
  readonly host?: string;
  readonly handle: (request: Request) => Promise<Response>;
  readonly log: Log;
};

/** More than Telegram ever sends at once. */
const longestBodyBytes = 2_000_000;

/**
 * Listens for Telegram's requests; resolves with what ends that.
 * @throws ClientError when the port cannot be had.
 */
export async function listen({ port, host, handle, log }: Listening): Promise<{
  readonly port: number;
  close(): Promise<void>;
}> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    incoming.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > longestBodyBytes) incoming.destroy();
      else chunks.push(chunk);
    });
    incoming.on("error", () => log.debug({}, "a request to the webhook broke off"));
    incoming.on("end", () => {
      const { method = "GET", url = "/", headers } = incoming;
      const secret = headers["x-telegram-bot-api-secret-token"];
      const request = new Request(new URL(url, "http://webhook.invalid"), {
        method,
        headers: typeof secret === "string" ? { "x-telegram-bot-api-secret-token": secret } : {},
        ...(method === "POST" && { body: Buffer.concat(chunks) }),
      });
      void handle(request)
        .catch(() => new Response(null, { status: 500 }))
        .then((response) => outgoing.writeHead(response.status).end());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new ClientError(
          "unavailable",
          `The webhook cannot listen on port ${port}; choose another TELEGRAM_WEBHOOK_PORT.`,
          {
            cause: error,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
