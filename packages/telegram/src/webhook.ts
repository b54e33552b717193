import { hash, timingSafeEqual } from "node:crypto";
import { type Fields, fieldsOf } from "./payload.ts";

/** What answering Telegram's requests needs. */
export type WebhookParts = {
  readonly secretToken: string;
  /** Resolves once the update is durable; rejects when it could not be kept: then Telegram brings it again. */
  readonly accept: (update: Fields) => Promise<void>;
};

/** The header by which Telegram shows that it is Telegram. */
const secretHeader = "x-telegram-bot-api-secret-token";

/**
 * Answers one request of Telegram's webhook: 200 when the update was taken, 401 for a wrong secret, 4xx for what is none, 503
 * when it could not be kept and is to come again.
 */
export async function answerWebhook(request: Request, { secretToken, accept }: WebhookParts): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  if (!isSame(request.headers.get(secretHeader) ?? "", secretToken)) return new Response(null, { status: 401 });
  const update = fieldsOf(await request.json().catch(() => null));
  if (!update) return new Response(null, { status: 400 });
  return accept(update).then(
    () => new Response(null, { status: 200 }),
    () => new Response(null, { status: 503 }),
  );
}

/** Compares without telling by the time it takes how much was right. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(Buffer.from(hash("sha256", given)), Buffer.from(hash("sha256", wanted)));
}

/** A secret of one's own for every token, the same after a restart. */
export function secretTokenOf(token: string): string {
  return hash("sha256", `webhook of ${token.trim()}`);
}
