import type { JsonObject, Receive } from "@troupe/core";
import type { Access, Purpose } from "./access.ts";
import { toAsked } from "./asking.ts";
import { type Batch, batchText, chooseBatch, offeredKinds } from "./batch.ts";
import { type Cursor, openCursor } from "./cursor.ts";
import type { Hearer } from "./inbound.ts";
import { keepValue } from "./kept-value.ts";
import { type Ledger, withShown } from "./ledger.ts";
import type { ListeningParts } from "./listening.ts";
import type { Loop, Turn } from "./loop.ts";
import { fieldsOf, idBefore, type Page, readPerson } from "./payload.ts";
import { type PostSource, postFields, readPosts } from "./reading.ts";
import type { TwitterSettings } from "./settings.ts";

/** What dealing with others' posts needs. */
export type EngagingParts = Pick<ListeningParts, "access" | "clock" | "state" | "log"> & {
  readonly ledger: Ledger;
  readonly settings: TwitterSettings;
  readonly hearer: () => Hearer;
  readonly receive: Receive;
  /** What the character talks about. */
  readonly topics: readonly string[];
  readonly isQuiet: () => boolean;
};

const dayMs = 24 * 60 * 60_000;
/** Authors of posts and what they quote; answers to others are left to those who talk. */
const batchExpansions = "author_id,referenced_tweets.id,referenced_tweets.id.author_id";

type Looking = { readonly roomId: string; readonly roomName: string; readonly intro: string };

/** Shows what was found to the character, once a turn; nothing is asked when nothing may be done or nothing fits. */
async function ask(
  parts: EngagingParts,
  looking: Looking,
  found: { readonly page: Page; readonly turn: string },
): Promise<void> {
  const { settings, ledger, receive, hearer } = parts;
  const { account, agentId, now } = hearer();
  const kinds = offeredKinds({ settings, deeds: ledger.deeds.get(), now });
  const batch: Batch = chooseBatch(found.page, {
    ...{ account, settings, now },
    deeds: ledger.deeds.get(),
    optedOut: ledger.optedOut.get(),
  });
  if (kinds.size === 0 || batch.posts.length === 0) return;
  const { roomId, roomName, intro } = looking;
  const { turn } = found;
  const posts = Object.fromEntries(batch.posts.map(({ id, authorId }) => [id, authorId]));
  await ledger.shown.change((shown) => withShown(shown, roomId, { turn, posts }));
  const text = batchText(batch, { intro, kinds, perRun: settings.perRun, hearer: hearer() });
  const offered = [...kinds].map(([kind, least]): [string, number] => [kind === "reply" ? "message" : kind, least]);
  const offer: JsonObject = { messages: Object.keys(posts), kinds: Object.fromEntries(offered) };
  await receive(toAsked({ account, agentId, roomId, roomName, turn, text, at: now, metadata: { offer } }));
}

/** Reads what is new, has the character look at it, and passes the cursor over it: each post is shown once, or never. */
async function lookAt(parts: EngagingParts, { source, cursor, looking, turn }: LookingAt): Promise<void> {
  const page = await readPosts(parts.access, source, purposeOf(turn.signal));
  const fresh = { ...page, posts: page.posts.filter(({ id }) => cursor.isNew(id)) };
  await ask(parts, looking, { page: fresh, turn: turn.id });
  for (const { id } of fresh.posts) if (cursor.begin(id)) await cursor.finish(id);
}

type LookingAt = {
  readonly source: PostSource;
  readonly cursor: Cursor;
  readonly looking: Looking;
  readonly turn: Turn;
};

const purposeOf = (signal: AbortSignal): Purpose => ({ importance: "engagement", signal });

/** Looks through the home timeline. @throws StoreError */
export async function openTimeline(parts: EngagingParts, restMs: readonly [number, number]): Promise<Loop> {
  const { state, clock, settings, hearer } = parts;
  const cursor = await openCursor(state, "timeline", idBefore(clock.now() - dayMs / 2));
  const looking = { roomId: "timeline", roomName: "Home timeline", intro: "These are new on your home timeline." };
  return {
    name: "timeline",
    restMs,
    async run(turn) {
      if (parts.isQuiet()) return;
      const source = {
        path: "users/:id/timelines/reverse_chronological",
        parameters: { id: hearer().account },
        query: { ...postFields, expansions: batchExpansions, exclude: "replies,retweets", since_id: cursor.since() },
        ...{ least: 1, most: settings.batch * 2, pages: 1 },
      };
      await lookAt(parts, { source, cursor, looking, turn });
    },
  };
}

/** Searches for the character's topics, one a turn. @throws StoreError */
export async function openSearch(parts: EngagingParts, restMs: readonly [number, number]): Promise<Loop> {
  const { state, clock, settings, topics } = parts;
  const wanted = settings.searchFor.length > 0 ? settings.searchFor : topics;
  const next = await keepValue(state, { key: "search/next", empty: 0, read: readCount });
  const cursors = new Map<string, Cursor>();
  for (const topic of wanted) {
    cursors.set(topic, await openCursor(state, `search/${topic}`, idBefore(clock.now() - dayMs / 2)));
  }
  return {
    name: "search",
    restMs,
    async run(turn) {
      const topic = wanted[next.get() % Math.max(1, wanted.length)];
      const cursor = topic === undefined ? undefined : cursors.get(topic);
      if (topic === undefined || !cursor || parts.isQuiet()) return;
      const since = cursor.since();
      const source = {
        path: "tweets/search/recent",
        // X searches the last seven days, and refuses what is older.
        query: {
          ...postFields,
          expansions: batchExpansions,
          query: searchQuery(topic),
          since_id: laterOf(since, idBefore(clock.now() - 6 * dayMs)),
        },
        token: "next_token" as const,
        ...{ least: 10, most: Math.max(10, settings.batch), pages: 1 },
      };
      const intro = `These were found by a search for ${topic}.`;
      await lookAt(parts, { source, cursor, looking: { roomId: "search", roomName: "Search", intro }, turn });
      await next.change((count) => (count + 1) % Math.max(1, wanted.length));
    },
  };
}

/** Looks what some accounts have posted, one a turn. @throws StoreError */
export async function openTargets(parts: EngagingParts, restMs: readonly [number, number]): Promise<Loop> {
  const { access, state, clock, settings, log } = parts;
  const names = settings.targetUsers;
  const next = await keepValue(state, { key: "targets/next", empty: 0, read: readCount });
  const ids = await keepValue<Readonly<Record<string, string>>>(state, {
    key: "targets/ids",
    empty: {},
    read: readIds,
  });
  const cursors = new Map<string, Cursor>();
  for (const name of names) {
    cursors.set(name, await openCursor(state, `targets/${name.toLowerCase()}`, idBefore(clock.now() - dayMs / 2)));
  }
  return {
    name: "targets",
    restMs,
    async run(turn) {
      const name = names[next.get() % Math.max(1, names.length)];
      const cursor = name === undefined ? undefined : cursors.get(name);
      if (name === undefined || !cursor || parts.isQuiet()) return;
      const userId = ids.get()[name.toLowerCase()] ?? (await findUser(access, name, purposeOf(turn.signal)));
      if (userId === null) log.warn({ name }, "there is no such account on X; correct targetUsers");
      else {
        await ids.change((all) => ({ ...all, [name.toLowerCase()]: userId }));
        const source = {
          path: "users/:id/tweets",
          parameters: { id: userId },
          query: { ...postFields, expansions: batchExpansions, exclude: "replies,retweets", since_id: cursor.since() },
          ...{ least: 5, most: Math.max(5, settings.batch), pages: 1 },
        };
        const intro = `These are new from @${name}, whom you follow closely.`;
        await lookAt(parts, {
          source,
          cursor,
          looking: { roomId: "targets", roomName: "Chosen accounts", intro },
          turn,
        });
      }
      await next.change((count) => (count + 1) % Math.max(1, names.length));
    },
  };
}

async function findUser(access: Access, username: string, purpose: Purpose): Promise<string | null> {
  const call = { method: "GET", path: "users/by/username/:username", parameters: { username } } as const;
  const body = fieldsOf(await access.call(call, purpose));
  return readPerson(body?.["data"])?.id ?? null;
}

/** What X is asked for a topic: in its own words, originals only. */
function searchQuery(topic: string): string {
  const words = topic.replace(/["\\]/g, " ").replace(/\s+/gu, " ").trim().slice(0, 200);
  return `"${words}" -is:retweet -is:reply`;
}

function laterOf(one: string, other: string): string {
  return one.length > other.length || (one.length === other.length && one > other) ? one : other;
}

function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function readIds(value: unknown): Readonly<Record<string, string>> | null {
  const fields = fieldsOf(value);
  if (!fields) return null;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, id]) => (typeof id === "string" ? [[name, id]] : [])),
  );
}
