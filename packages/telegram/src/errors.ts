import type { SendResult } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";
import { fieldsOf, integerIn, textIn } from "./payload.ts";

/**
 * What a refusal is about, where there is another way. `markup`: the HTML. `media`: the file. `quote`: the quoted words.
 * `caption`: the message has no text, but words under a file.
 * `unchanged`: it stands there already. `gone`: the message is not there any more.
 */
export type RefusalKind = "markup" | "media" | "quote" | "caption" | "unchanged" | "gone" | "other";

/** Telegram said no, or not now. */
export type Refusal = {
  readonly type: "refused";
  /** An HTTP status. */
  readonly code: number;
  readonly kind: RefusalKind;
  readonly description: string;
  readonly retryInMs?: number;
  /** The group's new id: it became a supergroup. */
  readonly movedTo?: number;
};

/** What became of a call that gave no result. */
export type Failure =
  | Refusal
  /** It certainly did not arrive. */
  | { readonly type: "unreached"; readonly code: string }
  /** It never left: a file that was to be sent cannot be read. */
  | { readonly type: "unreadable"; readonly code: string }
  /** It left, and nobody knows. */
  | { readonly type: "cut"; readonly code: string };

const unreachedCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

const unreadableCodes: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EISDIR", "EPERM", "ENOTDIR"]);

/** Reads whatever telegraf threw; an answer that is none of Telegram's counts as cut. */
export function readFailure(error: unknown): Failure {
  const thrown = fieldsOf(error);
  const response = fieldsOf(thrown?.["response"]);
  const status = integerIn(response, "error_code");
  if (status === undefined) {
    const code = textIn(thrown, "code") ?? textIn(thrown, "type") ?? (error instanceof Error ? error.name : "unknown");
    if (unreadableCodes.has(code)) return { type: "unreadable", code };
    return { type: unreachedCodes.has(code) ? "unreached" : "cut", code };
  }
  // A server in trouble may have done what was asked all the same.
  if (status >= 500) return { type: "cut", code: `HTTP ${status}` };
  const description = textIn(response, "description") ?? "";
  const parameters = fieldsOf(response?.["parameters"]);
  const retryAfter = integerIn(parameters, "retry_after");
  const movedTo = integerIn(parameters, "migrate_to_chat_id");
  return {
    type: "refused",
    code: status,
    kind: kindOf(description),
    description,
    ...(status === 429 && { retryInMs: Math.max(1, retryAfter ?? 5) * 1_000 }),
    ...(movedTo !== undefined && { movedTo }),
  };
}

const kinds: readonly { readonly kind: RefusalKind; readonly pattern: RegExp }[] = [
  { kind: "unchanged", pattern: /message is not modified/i },
  { kind: "markup", pattern: /can't parse entities|unsupported start tag|entity_.*invalid/i },
  { kind: "caption", pattern: /no text in the message to edit/i },
  { kind: "quote", pattern: /quote_text|quote text/i },
  {
    kind: "media",
    pattern:
      /wrong (type of the web page|file identifier|remote file)|failed to get http url|image_process|photo_|file is too big|wrong url|can't use file of type|voice_messages_forbidden|webpage_|media_/i,
  },
  { kind: "gone", pattern: /message (to \w+|identifier|can't be edited).*|message_id_invalid/i },
];

function kindOf(description: string): RefusalKind {
  return kinds.find(({ pattern }) => pattern.test(description))?.kind ?? "other";
}

const remedies: readonly { readonly pattern: RegExp; readonly told: string }[] = [
  { pattern: /bot was blocked by the user/i, told: "the person has blocked the bot; only they can take that back" },
  { pattern: /user is deactivated/i, told: "the person's account was deleted" },
  { pattern: /can't initiate conversation/i, told: "a bot may not write first; the person must press Start once" },
  { pattern: /kicked|not a member/i, told: "the bot is not in the chat; add it again" },
  { pattern: /chat not found/i, told: "there is no such chat, or the bot is not in it" },
  {
    pattern: /not enough rights|chat_write_forbidden|have no rights/i,
    told: "the bot lacks a right there; grant it in the chat's settings",
  },
  { pattern: /need administrator rights/i, told: "the bot must be an administrator there; make it one" },
  { pattern: /topic_closed/i, told: "the topic is closed; open it, or let the bot manage topics" },
  { pattern: /thread not found|topic_deleted/i, told: "the topic is gone" },
  { pattern: /too long/i, told: "it is too long for one message" },
  { pattern: /reaction_invalid/i, told: "that reaction is not possible there; set another likeEmoji" },
];

const defaultRetryMs = 1_000;
const revokedRetryMs = 60_000;

/** The result of a send or edit that failed; `what` names it, "a message to room 42". */
export function toSendResult(failure: Failure, what: string): SendResult {
  switch (failure.type) {
    case "unreached":
      return {
        type: "not-sent",
        retryInMs: defaultRetryMs,
        error: `Telegram was not reached for ${what} (${failure.code}).`,
      };
    case "unreadable":
      return { type: "rejected", error: `A file for ${what} cannot be read (${failure.code}); look where it is.` };
    case "cut":
      return { type: "unknown", error: `No answer came from Telegram to ${what} (${failure.code}).` };
    case "refused":
      return refusalResult(failure, what);
  }
}

function refusalResult(failure: Refusal, what: string): SendResult {
  const { code, retryInMs } = failure;
  if (code === 429) {
    const seconds = Math.ceil((retryInMs ?? defaultRetryMs) / 1_000);
    return {
      type: "not-sent",
      retryInMs: retryInMs ?? defaultRetryMs,
      error: `Telegram asks to wait ${seconds} s before ${what}.`,
    };
  }
  if (code === 401 || code === 404) {
    return {
      type: "not-sent",
      retryInMs: revokedRetryMs,
      error: `Telegram refused ${what}: the bot's token is not valid.`,
    };
  }
  return { type: "rejected", error: `Telegram refused ${what}: ${toldReason(failure)}.` };
}

/** Why, in our words where we know the remedy; of Telegram's own, what may hold a piece of the text is left out. */
function toldReason({ kind, description, code }: Refusal): string {
  const known = remedies.find(({ pattern }) => pattern.test(description));
  if (known) return known.told;
  if (kind === "markup") return "it cannot be read as marked-up text";
  return description.replace(/^(bad request|forbidden|conflict): /i, "").slice(0, 200) || `error ${code}`;
}

/** The error of a refusal that no repeating helps against; null when waiting may help. */
export function toFatal(failure: Failure): ClientError | null {
  if (failure.type !== "refused") return null;
  switch (failure.code) {
    case 401:
    case 404:
      return new ClientError(
        "unauthorized",
        "Telegram does not know the bot's token: it was revoked or mistyped; put the one @BotFather shows into TELEGRAM_BOT_TOKEN.",
      );
    case 403:
      return new ClientError(
        "unauthorized",
        "Telegram forbids this bot to work; ask @BotFather what is wrong with it.",
      );
    default:
      return null;
  }
}

/** Somebody else asks for this bot's updates. */
export function competingPoller(isWebhook: boolean): ClientError {
  return new ClientError(
    "conflict",
    isWebhook
      ? "Telegram brings this bot's updates to a webhook; delete the webhook, or set TELEGRAM_WEBHOOK_URL to use one."
      : "Another program asks Telegram for this bot's updates; stop it, or give this agent a bot of its own.",
  );
}

/** What a log may say of a failure: no text of anybody, no token. */
export function failureFields(failure: Failure): Readonly<Record<string, unknown>> {
  return failure.type === "refused"
    ? {
        code: failure.code,
        refusal: failure.kind,
        ...(failure.retryInMs !== undefined && { retryInMs: failure.retryInMs }),
      }
    : { failure: failure.type, code: failure.code };
}

/** What a log may say of anything thrown on the way. */
export function shortError(error: unknown): string {
  return errorMessage(error)
    .replace(/\d{5,}:[\w-]{10,}/g, "…")
    .slice(0, 200);
}
