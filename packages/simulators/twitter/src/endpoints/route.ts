import type { WireFile } from "@troupe/simulator-wire";
import type { AuthKind, Caller } from "../auth/authenticate.ts";
import type { PriceKind } from "../limits/meter.ts";
import { invalidParameter, Problem } from "../problem.ts";
import type { Reads } from "../render/document.ts";
import { readView, type Subject } from "../render/fields.ts";
import type { Look } from "../render/render.ts";
import type { User, World } from "../world/world.ts";

/** The rules of X that differ by plan or by test. */
export type Rules = {
  /** How long the same text by the same author counts as a duplicate. */
  readonly duplicateWindowMs: number;
  /** How many posts, reposts among them, an account may make in 24 hours. */
  readonly postsPerDay: number;
  /** Whether the API lets an account reply to and quote only who has mentioned or quoted it. */
  readonly onlySummoned: boolean;
  /** How long X works on a video before it can be posted. */
  readonly videoProcessingMs: number;
};

/** One request that has come so far as to be answered. */
export type Call = {
  readonly world: World;
  readonly rules: Rules;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly WireFile[];
};

/** What is answered; `reads` and `price` are paid for. */
export type Reply = {
  readonly status?: number;
  readonly body: unknown;
  readonly reads?: Reads;
  readonly price?: PriceKind;
};

/** One endpoint. */
export type Route = {
  /** `GET /2/users/:id/mentions`; the name of its limits, too. */
  readonly endpoint: string;
  readonly auth: readonly AuthKind[];
  /** Of OAuth 2.0. */
  readonly scopes: readonly string[];
  /** The query parameters it knows. */
  readonly query?: readonly string[];
  /** What an app's permissions must include; "read" when absent. */
  readonly needs?: "write" | "direct";
  /** Whether `:id` must be the caller. */
  readonly isOwn?: boolean;
  /** Whether reading one's own costs less. */
  readonly isOwnedRead?: boolean;
  /** What reading an account costs here; "user-read" when absent. */
  readonly userPrice?: PriceKind;
  handle(call: Call): Reply;
};

/** The ways to call what anybody may read. */
export const anybody: readonly AuthKind[] = ["oauth1", "oauth2", "app"];

/** The ways to call in the name of a user. */
export const asUser: readonly AuthKind[] = ["oauth1", "oauth2"];

/** The user in whose name is called. @throws Problem for an app on its own. */
export function userOf({ caller }: Call): User {
  if (caller.user === null)
    throw new Problem(403, { title: "Forbidden", type: "about:blank", status: 403, detail: "Forbidden" });
  return caller.user;
}

/** What the caller wants to see, and as whom. */
export function lookOf({ world, caller, query }: Call, subject: Subject): Look {
  return { world, viewer: caller.user, view: readView(query, subject) };
}

/** An id in the path. @throws Problem when it is none. */
export function idParameter({ params }: Call, name: string): string {
  const value = params[name] ?? "";
  if (!/^\d{1,19}$/.test(value)) throw invalidParameter(name, value, "does not match ^[0-9]{1,19}$");
  return value;
}

/** The values of a list in the query. @throws Problem when there are none, too many, or one is not well formed. */
export function listParameter({ query }: Call, name: string, pattern: RegExp): string[] {
  const values = (query.get(name) ?? "").split(",").filter(Boolean);
  if (values.length === 0) throw invalidParameter(name, "", "can not be empty");
  if (values.length > 100) throw invalidParameter(name, String(values.length), "has more than 100 values");
  const wrong = values.find((value) => !pattern.test(value));
  if (wrong !== undefined) throw invalidParameter(name, wrong, `does not match ${pattern.source}`);
  return [...new Set(values)];
}
