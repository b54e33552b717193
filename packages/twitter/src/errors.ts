import type { SendResult } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";
import { type Fields, fieldsOf, integerIn, listIn, textIn } from "./payload.ts";

/**
 * What a refusal is about. `rate`: wait. `credits`, `usage`: nothing more may be spent, or read this month. `duplicate`: the text
 * stands there already. `uninvited`: X lets an account answer only who asked for it. `gone`: the post or person is not there, or
 * hidden. `daily`: too many posts today. `keys`, `suspended`, `locked`, `enrollment`: nothing works until a person does
 * something. `permission`: the app lacks a right. `sign-in`: only OAuth 2.0 may do that.
 */
type RefusalKind =
  | "rate"
  | "credits"
  | "usage"
  | "duplicate"
  | "uninvited"
  | "gone"
  | "daily"
  | "keys"
  | "suspended"
  | "locked"
  | "enrollment"
  | "permission"
  | "sign-in"
  | "other";

/** X said no, or not now. */
type Refusal = {
  readonly type: "refused";
  /** An HTTP status. */
  readonly status: number;
  readonly kind: RefusalKind;
  readonly detail: string;
  readonly retryInMs?: number;
};

/** What became of a call that gave no result. */
export type Failure =
  | Refusal
  /** Not asked at all: it would go over a limit of X's or of ours. */
  | { readonly type: "withheld"; readonly reason: string; readonly retryInMs: number; readonly limit: "rate" | "spend" }
  /** It certainly did not arrive. */
  | { readonly type: "unreached"; readonly code: string }
  /** It never left: a file that was to be sent cannot be read. */
  | { readonly type: "unreadable"; readonly code: string }
  /** It never left: something about it cannot be, as our own words say. */
  | { readonly type: "impossible"; readonly reason: string }
  /** It left, and nobody knows. */
  | { readonly type: "cut"; readonly code: string };

/** A call that was not made, for it would go over a limit. */
export class WithheldError extends ClientError {
  readonly limit: "rate" | "spend";

  constructor(limit: "rate" | "spend", message: string, retryAfterMs: number) {
    super("exhausted", message, { retryAfterMs });
    this.limit = limit;
  }
}

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

/** Reads whatever a call threw; an answer that is none of X's counts as cut. `now`: epoch milliseconds. */
export function readFailure(error: unknown, now: number): Failure {
  if (error instanceof WithheldError) {
    const { limit, message, retryAfterMs = 60_000 } = error;
    return { type: "withheld", limit, reason: message, retryInMs: retryAfterMs };
  }
  if (error instanceof ClientError && error.code === "unauthorized") {
    return { type: "refused", status: 401, kind: "keys", detail: error.message };
  }
  if (error instanceof ClientError && error.code === "invalid") return { type: "impossible", reason: error.message };
  const thrown = fieldsOf(error);
  const status = thrown?.["type"] === "response" ? integerIn(thrown, "code") : undefined;
  if (status === undefined || status < 400) {
    const inner = fieldsOf(readGetter(thrown, "requestError"));
    const code = textIn(inner, "code") ?? textIn(thrown, "code") ?? (error instanceof Error ? error.name : "unknown");
    if (unreadableCodes.has(code)) return { type: "unreadable", code };
    return { type: unreachedCodes.has(code) ? "unreached" : "cut", code };
  }
  // A server in trouble may have done what was asked all the same.
  if (status >= 500) return { type: "cut", code: `HTTP ${status}` };
  const data = fieldsOf(thrown?.["data"]);
  const detail = detailOf(data);
  const kind = kindOf(status, data, detail);
  const retryInMs = retryOf(kind, fieldsOf(thrown?.["headers"]), now);
  return { type: "refused", status, kind, detail, ...(retryInMs !== undefined && { retryInMs }) };
}

/** The library keeps some values behind accessors of its classes. */
function readGetter(thrown: Fields | null, name: string): unknown {
  return thrown?.[name];
}

function detailOf(data: Fields | null): string {
  const inner = listIn(data, "errors").map(
    (one) => textIn(one, "message") ?? textIn(one, "detail") ?? textIn(one, "title") ?? "",
  );
  const parts = [textIn(data, "detail"), ...inner, textIn(data, "error_description"), textIn(data, "title")];
  return parts.find((part) => part !== undefined && part !== "") ?? "";
}

const bySuffix: Readonly<Record<string, RefusalKind>> = {
  "user-suspended": "suspended",
  "client-forbidden": "enrollment",
  "oauth1-permissions": "permission",
  "unsupported-authentication": "sign-in",
  "usage-capped": "usage",
  credits: "credits",
  "resource-not-found": "gone",
  "not-authorized-for-resource": "gone",
};

const byDetail: readonly { readonly kind: RefusalKind; readonly pattern: RegExp }[] = [
  { kind: "duplicate", pattern: /duplicate content/i },
  { kind: "locked", pattern: /temporarily locked|unlock your account/i },
  { kind: "suspended", pattern: /authentication is suspended|your account is suspended/i },
  { kind: "daily", pattern: /daily (status update )?limit/i },
  {
    kind: "uninvited",
    pattern: /where you are mentioned or are the author|reply to this conversation is not allowed|not been mentioned/i,
  },
  { kind: "gone", pattern: /deleted or not visible|could not find/i },
];

function kindOf(status: number, data: Fields | null, detail: string): RefusalKind {
  if (status === 401) return "keys";
  const type = textIn(data, "type") ?? "";
  const suffix = type.slice(type.lastIndexOf("/") + 1);
  const known = Object.hasOwn(bySuffix, suffix) ? bySuffix[suffix] : undefined;
  if (known !== undefined) return known;
  if (status === 429) return "rate";
  if (status === 402) return "credits";
  const told = byDetail.find(({ pattern }) => pattern.test(detail))?.kind;
  return told ?? (status === 404 ? "gone" : "other");
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** X says with which window it is over in headers, never in a retry-after. */
function retryOf(kind: RefusalKind, headers: Fields | null, now: number): number | undefined {
  switch (kind) {
    case "rate": {
      const resets = ["x-rate-limit", "x-user-limit-24hour", "x-app-limit-24hour"].flatMap((name) => {
        const resetAt = Number(headers?.[`${name}-reset`]) * 1_000;
        const isEmpty = Number(headers?.[`${name}-remaining`]) === 0;
        return isEmpty && Number.isFinite(resetAt) ? [resetAt] : [];
      });
      const waitMs = resets.length === 0 ? minuteMs : Math.max(...resets) - now;
      return Math.min(25 * hourMs, Math.max(1_000, waitMs));
    }
    case "credits":
    case "usage":
    case "daily":
      return hourMs;
    default:
      return undefined;
  }
}

const remedies: Readonly<Record<RefusalKind, string | null>> = {
  rate: "X asks to wait",
  credits: "the developer account has no credits left; buy some at console.x.com",
  usage: "the app has read as many posts as its plan allows this month; wait or change the plan",
  duplicate: "X takes no text a second time",
  uninvited:
    "X lets an account answer or quote only posts that mention or quote it, on every plan but Enterprise; leave repliesTo at mentioned",
  gone: "the post or account is not there any more, or hidden from this one",
  daily: "the account has posted as much as X allows in a day",
  keys: "the keys are not valid any more; make new ones in the developer console and put them into .env, or run troupe login twitter",
  suspended: "X has suspended the account; appeal at help.x.com",
  locked: "X has locked the account; sign in at x.com and unlock it",
  enrollment: "the app belongs to no project with access to the API; add it to one in the developer console",
  permission:
    "the app lacks the right; give it Read and write (and Direct Messages) in the developer console, then make new access tokens",
  "sign-in": "X allows that to OAuth 2.0 only; run troupe login twitter",
  other: null,
};

/** Why, in our words where we know the remedy; X's own are cut short. */
function toldReason({ kind, detail, status }: Refusal): string {
  if (detail.startsWith("The sign-in to X")) return detail.replace(/\.$/u, "");
  return remedies[kind] ?? (detail.replace(/[.\s]+$/u, "").slice(0, 200) || `error ${status}`);
}

const unreachedRetryMs = 5_000;
const brokenRetryMs = 5 * minuteMs;

/** The result of a send that failed; `what` names it, "a reply to post 42". */
export function toSendResult(failure: Failure, what: string): SendResult {
  switch (failure.type) {
    case "withheld":
      return failure.limit === "rate"
        ? { type: "not-sent", retryInMs: failure.retryInMs, error: failure.reason }
        : { type: "rejected", error: failure.reason };
    case "unreached":
      return {
        type: "not-sent",
        retryInMs: unreachedRetryMs,
        error: `X was not reached for ${what} (${failure.code}).`,
      };
    case "unreadable":
      return { type: "rejected", error: `A file for ${what} cannot be read (${failure.code}); look where it is.` };
    case "impossible":
      return { type: "rejected", error: failure.reason };
    case "cut":
      return { type: "unknown", error: `No answer came from X to ${what} (${failure.code}).` };
    case "refused":
      return refusalResult(failure, what);
  }
}

function refusalResult(failure: Refusal, what: string): SendResult {
  const error = `X refused ${what}: ${toldReason(failure)}.`;
  if (failure.retryInMs !== undefined) return { type: "not-sent", retryInMs: failure.retryInMs, error };
  // The account may be well again before the delivery is too old.
  if (toFatal(failure)) return { type: "not-sent", retryInMs: brokenRetryMs, error };
  return { type: "rejected", error };
}

/** The error of a refusal that no repeating helps against; null when waiting may help. */
export function toFatal(failure: Failure): ClientError | null {
  if (failure.type !== "refused") return null;
  switch (failure.kind) {
    case "keys":
    case "suspended":
    case "locked":
    case "enrollment":
      return new ClientError("unauthorized", `X does not let this account work: ${toldReason(failure)}.`);
    default:
      return null;
  }
}

/** A refusal of something that is not a send, in words. */
export function toClientError(failure: Failure, what: string): ClientError {
  const result = toSendResult(failure, what);
  const error = result.type === "sent" ? what : result.error;
  return new ClientError(failure.type === "refused" ? "invalid" : "unavailable", error);
}

/** What a log may say of a failure: no text of anybody, no key. */
export function failureFields(failure: Failure): Fields {
  switch (failure.type) {
    case "refused": {
      const { status, kind, retryInMs } = failure;
      return { status, refusal: kind, ...(retryInMs !== undefined && { retryInMs }) };
    }
    case "withheld":
      return { limit: failure.limit, retryInMs: failure.retryInMs };
    case "impossible":
      return { failure: failure.type };
    default:
      return { failure: failure.type, code: failure.code };
  }
}

/** What a log may say of anything thrown on the way. */
export function shortError(error: unknown): string {
  return errorMessage(error)
    .replace(/[\w-]{25,}/g, "…")
    .slice(0, 200);
}
