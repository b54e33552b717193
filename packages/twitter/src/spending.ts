import type { Clock } from "@troupe/core";
import type { Call } from "./api.ts";
import type { Importance } from "./budget.ts";
import { WithheldError } from "./errors.ts";
import type { KeptValue } from "./kept-value.ts";
import { fieldsOf, integerIn, listIn, textIn } from "./payload.ts";
import { countLinks } from "./text.ts";

/** What has been spent on a day (UTC), in millionths of a US dollar. */
export type Spent = { readonly day: string; readonly microUsd: number };

/** What calls cost, kept over restarts, with a limit that is never crossed. */
export type Spending = {
  /** Sets aside what a call may cost at most. @throws WithheldError when that is more than is left today. */
  reserve(call: Call, importance: Importance): Promise<Reservation>;
  /** How many results of a read what is left today pays for, whatever comes with them. */
  resultsLeft(call: Call, importance: Importance): number;
  /** What today has cost so far, in US dollars. */
  spentUsd(): number;
};

/** Money set aside for one call. */
type Reservation = {
  /** The call cost what its answer says. */
  settle(body: unknown): Promise<void>;
  /** The call cost nothing. */
  release(): Promise<void>;
};

/** US dollars for one. @see https://docs.x.com/x-api/getting-started/pricing */
const prices = {
  post: 0.005,
  person: 0.01,
  media: 0.005,
  direct: 0.01,
  write: 0.015,
  writeWithLink: 0.2,
  undo: 0.01,
  bookmark: 0.005,
  altText: 0.005,
} as const;

/** Of the day's limit so large a share stays for what is more important. */
const reserves: Readonly<Record<Importance, number>> = { first: 0, post: 0.15, engagement: 0.35 };

const million = 1_000_000;

/** `limitUsd`: what a day may cost; null for no limit. */
export function createSpending(
  limitUsd: number | null,
  { kept, clock }: { readonly kept: KeptValue<Spent>; readonly clock: Pick<Clock, "now"> },
): Spending {
  const today = (): string => new Date(clock.now()).toISOString().slice(0, 10);
  const spent = (): number => (kept.get().day === today() ? kept.get().microUsd : 0);
  const add = (microUsd: number): Promise<void> =>
    kept.change(() => ({ day: today(), microUsd: Math.max(0, spent() + microUsd) }));
  const limitFor = (importance: Importance): number =>
    limitUsd === null ? Number.POSITIVE_INFINITY : limitUsd * million * (1 - reserves[importance]);
  return {
    async reserve(call, importance) {
      const most = Math.round(mostUsd(call) * million);
      if (most > 0 && spent() + most > limitFor(importance)) throw withheld(clock.now(), limitUsd ?? 0, importance);
      const day = today();
      if (most > 0) await add(most);
      const giveBack = async (microUsd: number): Promise<void> => {
        if (microUsd !== 0 && day === today()) await add(-microUsd);
      };
      return {
        settle: (body) => giveBack(most - Math.round(costUsd(call, body) * million)),
        release: () => giveBack(most),
      };
    },
    resultsLeft: (call, importance) =>
      Math.floor((limitFor(importance) - spent()) / Math.max(1, Math.round(resultUsd(call) * million))),
    spentUsd: () => spent() / million,
  };
}

function withheld(now: number, limitUsd: number, importance: Importance): WithheldError {
  const dayMs = 24 * 60 * 60_000;
  const share = reserves[importance] === 0 ? "" : `, of which a part is kept for answering people,`;
  return new WithheldError(
    "spend",
    `Today's limit of ${limitUsd} US dollars for X${share} is reached; nothing more is done before midnight UTC. Raise dailySpendUsd to do more.`,
    dayMs - (now % dayMs),
  );
}

/** What a call costs at most, known before it is made. */
function mostUsd(call: Call): number {
  if (call.method !== "GET") return writeUsd(call);
  const results = call.query?.["ids"] === undefined ? Number(call.query?.["max_results"] ?? 1) : countIds(call);
  return results * resultUsd(call);
}

/** What one result costs at most: itself, and what comes with it. */
function resultUsd({ path, query }: Call): number {
  if (path === "users/me") return 0;
  if (isOfPeople(path)) return prices.person;
  const wanted = String(query?.["expansions"] ?? "").split(",");
  const has = (expansion: string, usd: number): number => (wanted.includes(expansion) ? usd : 0);
  return (
    (path.startsWith("dm_") ? prices.direct : prices.post) +
    has("author_id", prices.person) +
    has("sender_id", prices.person) +
    // A post answers one other and quotes one other at most, and has four pictures.
    has("referenced_tweets.id", 2 * prices.post) +
    has("referenced_tweets.id.author_id", 2 * prices.person) +
    has("attachments.media_keys", 4 * prices.media)
  );
}

function isOfPeople(path: string): boolean {
  return /^users(\/by\/.*|\/:id)?$/.test(path);
}

function countIds({ query }: Call): number {
  return String(query?.["ids"] ?? "").split(",").length;
}

/** What a call did cost: everything that was read is paid for, once more for each time. */
function costUsd(call: Call, body: unknown): number {
  if (call.method !== "GET") return writeUsd(call);
  if (call.path === "users/me") return 0;
  const answer = fieldsOf(body);
  const includes = fieldsOf(answer?.["includes"]);
  const data = fieldsOf(answer?.["data"]) ? 1 : listIn(answer, "data").length;
  const unit = call.path.startsWith("dm_") ? prices.direct : isOfPeople(call.path) ? prices.person : prices.post;
  return (
    data * unit +
    listIn(includes, "users").length * prices.person +
    listIn(includes, "tweets").length * prices.post +
    listIn(includes, "media").length * prices.media
  );
}

function writeUsd({ method, path, body }: Call): number {
  if (path.startsWith("media/metadata")) return prices.altText;
  if (path.startsWith("media/")) return 0;
  if (path.endsWith("/bookmarks")) return prices.bookmark;
  if (method === "DELETE") return prices.undo;
  const text = body?.["text"];
  return path === "tweets" && typeof text === "string" && countLinks(text) > 0 ? prices.writeWithLink : prices.write;
}

/** Reads what was spent; null when it is damaged. */
export function readSpent(value: unknown): Spent | null {
  const fields = fieldsOf(value);
  const day = textIn(fields, "day");
  const microUsd = integerIn(fields, "microUsd");
  return day === undefined || microUsd === undefined || microUsd < 0 ? null : { day, microUsd };
}
