import { present } from "../present.ts";
import type { Timers } from "../world/world.ts";
import type { QueuedUpdate, UpdateQueue } from "./update-queue.ts";

/** How a bot wants its updates brought. */
type WebhookSettings = {
  readonly url: string;
  readonly secretToken: string | null;
  /** 1 to 100. */
  readonly maxConnections: number;
};

/** What brings a bot its updates. */
export type Webhook = {
  readonly settings: WebhookSettings | null;
  set(settings: WebhookSettings | null): void;
  /** The Bot API's WebhookInfo. @see https://core.telegram.org/bots/api#webhookinfo */
  info(): Readonly<Record<string, unknown>>;
  close(): void;
};

/** What a webhook is made of. */
export type WebhookParts = {
  readonly queue: UpdateQueue;
  readonly now: () => number;
  readonly timers: Timers;
  readonly fetch: typeof fetch;
  /** Does what the answer to a webhook's request asks for. */
  readonly obey: (answer: unknown) => Promise<void>;
};

const answerTimeoutMs = 60_000;
const firstWaitMs = 1_000;
const longestWaitMs = 64_000;

type State = {
  settings: WebhookSettings | null;
  life: AbortController;
  /** Lanes that are being served, or wait before they try again. */
  readonly busy: Set<string>;
  readonly failures: Map<string, number>;
  readonly stops: Set<() => void>;
  lastError: { readonly atMs: number; readonly message: string } | null;
};

/**
 * Brings updates by POST: those of one chat one after the other, several chats side by side up to `maxConnections`.
 * What is not answered with 2xx comes again after 1, 2, 4 … 64 seconds, until the update is a day old.
 */
export function createWebhook(parts: WebhookParts): Webhook {
  const state: State = {
    settings: null,
    life: new AbortController(),
    busy: new Set(),
    failures: new Map(),
    stops: new Set(),
    lastError: null,
  };
  const pump = (): void => {
    const { settings } = state;
    if (!settings) return;
    for (const entry of parts.queue.ready()) {
      if (state.busy.size >= settings.maxConnections) return;
      if (state.busy.has(entry.lane)) continue;
      state.busy.add(entry.lane);
      void bring(parts, state, entry).then((isCurrent) => {
        if (isCurrent) pump();
      });
    }
  };
  const unwatch = parts.queue.watch(pump);
  const stop = (): void => {
    state.life.abort();
    state.life = new AbortController();
    for (const end of state.stops) end();
    state.stops.clear();
    state.busy.clear();
    state.failures.clear();
  };
  return {
    get settings() {
      return state.settings;
    },
    set(settings) {
      stop();
      state.settings = settings;
      state.lastError = null;
      pump();
    },
    info: () => ({
      url: state.settings?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: parts.queue.count(),
      ...present({
        ip_address: state.settings ? "127.0.0.1" : undefined,
        last_error_date: state.lastError ? Math.floor(state.lastError.atMs / 1000) : undefined,
        last_error_message: state.lastError?.message,
        max_connections: state.settings?.maxConnections,
        allowed_updates: parts.queue.allowed ?? undefined,
      }),
    }),
    close() {
      unwatch();
      state.settings = null;
      stop();
    },
  };
}

/** One attempt. False when the webhook was changed meanwhile. */
async function bring(parts: WebhookParts, state: State, entry: QueuedUpdate): Promise<boolean> {
  const { life } = state;
  const failure = await post(parts, state, entry);
  if (life.signal.aborted) return false;
  if (failure === null) {
    parts.queue.remove(entry);
    state.failures.delete(entry.lane);
    state.busy.delete(entry.lane);
    return true;
  }
  state.lastError = { atMs: parts.now(), message: failure };
  const failures = state.failures.get(entry.lane) ?? 0;
  state.failures.set(entry.lane, failures + 1);
  await new Promise<void>((resolve) => {
    const end = parts.timers.after(Math.min(firstWaitMs * 2 ** failures, longestWaitMs), () => {
      state.stops.delete(cancel);
      resolve();
    });
    const cancel = (): void => {
      end();
      resolve();
    };
    state.stops.add(cancel);
  });
  if (life.signal.aborted) return false;
  state.busy.delete(entry.lane);
  return true;
}

/** What went wrong, in Telegram's words; null when nothing did. */
async function post(parts: WebhookParts, state: State, entry: QueuedUpdate): Promise<string | null> {
  const { settings, life } = state;
  if (!settings) return "Webhook was deleted";
  const limit = new AbortController();
  const stop = parts.timers.after(answerTimeoutMs, () => limit.abort());
  entry.wasSent = true;
  try {
    const response = await parts.fetch(settings.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(settings.secretToken === null ? {} : { "x-telegram-bot-api-secret-token": settings.secretToken }),
      },
      body: JSON.stringify(entry.update),
      signal: AbortSignal.any([life.signal, limit.signal]),
      redirect: "manual",
    });
    const text = await response.text();
    if (!response.ok) return `Wrong response from the webhook: ${response.status} ${response.statusText}`.trim();
    await parts.obey(readAnswer(text));
    return null;
  } catch (error) {
    if (limit.signal.aborted) return "Read timeout expired";
    const cause = error instanceof Error ? error.cause : null;
    const isRefused = cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
    return isRefused ? "Connection refused" : "Connection closed";
  } finally {
    stop();
  }
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
