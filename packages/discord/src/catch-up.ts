import type { DiscordApi } from "./api.ts";
import { idAt, idOf, isNewer, madeAt, type Raw, recordsOf, textOf } from "./read.ts";

/** A room in which something may have been said that nobody heard. */
export type Gap = {
  readonly room: string;
  /** The newest message that was heard, or the moment from which on everything is to be heard. */
  readonly after: string;
};

/** Kinds of channels people write in; forums only have posts. */
const spokenChannels: ReadonlySet<number> = new Set([0, 2, 5, 10, 11, 12, 13]);

/** The channels and threads of a server as it introduces itself, with their newest message. */
export function newestByRoom(guild: Raw): readonly { readonly room: string; readonly newest: string }[] {
  return [...recordsOf(guild["channels"]), ...recordsOf(guild["threads"])].flatMap((channel) => {
    const room = idOf(channel["id"]);
    const newest = idOf(channel["last_message_id"]);
    const isSpoken = spokenChannels.has(Number(channel["type"]));
    return room !== null && newest !== null && isSpoken ? [{ room, newest }] : [];
  });
}

/** From where on a room has to be heard, or null when it has nothing new. */
export function gapIn(
  { room, newest }: { readonly room: string; readonly newest: string },
  known: { readonly seen: string | null; readonly watermark: string; readonly joinedAt: number | null },
): Gap | null {
  if (known.seen !== null) return isNewer(newest, known.seen) ? { room, after: known.seen } : null;
  const joined = known.joinedAt === null ? known.watermark : idAt(known.joinedAt);
  const after = isNewer(joined, known.watermark) ? joined : known.watermark;
  return isNewer(newest, after) ? { room, after } : null;
}

/** Events of one moment may come in another order than they were written: so far back it is read again. */
const overlapMs = 60_000;
const pageSize = 100;

/**
 * What was said in a room since, oldest first; when that is more than `limit`, the newest of it. What overlaps has been heard
 * already.
 * @throws what the API throws
 */
export async function fetchMissed(
  api: Pick<DiscordApi, "request">,
  { room, after }: Gap,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly Raw[]> {
  if (limit === 0) return [];
  const from = idAt(madeAt(after) - overlapMs);
  const page = async (query: Readonly<Record<string, string>>): Promise<readonly Raw[]> => {
    const size = String(Math.min(pageSize, limit));
    const asked = { method: "GET", route: `/channels/${room}/messages`, isRepeatable: true, signal } as const;
    const answer = await api.request({ ...asked, query: { ...query, limit: size } });
    return recordsOf(answer).filter(({ id }) => idOf(id) !== null);
  };
  const first = await page({ after: from });
  if (first.length < Math.min(pageSize, limit)) return first.toSorted(byAge);
  return fetchBackwards(page, from, limit);
}

async function fetchBackwards(
  page: (query: Readonly<Record<string, string>>) => Promise<readonly Raw[]>,
  from: string,
  limit: number,
): Promise<readonly Raw[]> {
  const found: Raw[] = [];
  let before: string | null = null;
  while (found.length < limit) {
    const messages = (await page(before === null ? {} : { before })).toSorted(byAge).toReversed();
    const missed = messages.filter((message) => isNewer(ageOf(message), from));
    found.push(...missed);
    const oldest = messages.at(-1);
    if (!oldest || missed.length < messages.length || messages.length < Math.min(pageSize, limit)) break;
    before = ageOf(oldest);
  }
  return found.slice(0, limit).toReversed();
}

function ageOf(message: Raw): string {
  return textOf(message["id"]) ?? "0";
}

function byAge(one: Raw, other: Raw): number {
  const [left, right] = [ageOf(one), ageOf(other)];
  return left === right ? 0 : isNewer(left, right) ? 1 : -1;
}
