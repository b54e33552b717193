import type { ClientState } from "@troupe/core";
import { type KeptValue, keepValue } from "./kept-value.ts";
import { fieldsOf, listIn, textIn } from "./payload.ts";
import { comparableText, likeness } from "./text.ts";

/** Something that was sent: the delivery's key, what X calls it, and what it says (shortened). */
export type Sent = {
  readonly key: string;
  readonly id: string;
  readonly at: number;
  /** The post it answers. */
  readonly answers?: string;
  readonly conversation?: string;
  /** As compared with others; only of what is for everybody. */
  readonly words?: string;
};

/** Something that counts against a limit. */
export type Deed = {
  readonly key: string;
  readonly kind: string;
  readonly at: number;
  /** The turn of a loop it belongs to. */
  readonly turn?: string;
  readonly authorId?: string;
};

/** What a loop showed to the model: the posts, with their authors. */
export type Shown = { readonly turn: string; readonly posts: Readonly<Record<string, string>> };

/** What the account did, and what it must remember of people; durable over restarts, bounded. */
export type Ledger = {
  readonly sent: KeptValue<readonly Sent[]>;
  /** Deliveries whose sending was begun and of which nobody knows more. */
  readonly begun: KeptValue<Readonly<Record<string, number>>>;
  readonly deeds: KeptValue<readonly Deed[]>;
  /** Accounts that asked to be left alone. */
  readonly optedOut: KeptValue<readonly string[]>;
  /** By room. */
  readonly shown: KeptValue<Readonly<Record<string, readonly Shown[]>>>;
};

const keptSent = 400;
const keptBegun = 200;
const keptShown = 6;
const dayMs = 24 * 60 * 60_000;
const longestRestMs = 30 * dayMs;
const keptDeeds = 3_000;

/** Reads what is kept. @throws StoreError */
export async function openLedger(state: ClientState): Promise<Ledger> {
  return {
    sent: await keepValue<readonly Sent[]>(state, { key: "sent", empty: [], read: readSent }),
    begun: await keepValue<Readonly<Record<string, number>>>(state, { key: "begun", empty: {}, read: readNumbers }),
    deeds: await keepValue<readonly Deed[]>(state, { key: "deeds", empty: [], read: readDeeds }),
    optedOut: await keepValue<readonly string[]>(state, { key: "opted-out", empty: [], read: readTexts }),
    shown: await keepValue<Readonly<Record<string, readonly Shown[]>>>(state, {
      key: "shown",
      empty: {},
      read: readShown,
    }),
  };
}

/** Remembers that something was sent. */
export function withSent(sent: readonly Sent[], one: Sent): readonly Sent[] {
  return [...sent.filter(({ key }) => key !== one.key), one].slice(-keptSent);
}

/** Remembers that a sending was begun. */
export function withBegun(
  begun: Readonly<Record<string, number>>,
  key: string,
  at: number,
): Readonly<Record<string, number>> {
  const { [key]: _, ...others } = begun;
  return Object.fromEntries([...Object.entries(others), [key, at] as const].slice(-keptBegun));
}

/** Forgets a sending whose outcome is known. */
export function withoutBegun(begun: Readonly<Record<string, number>>, key: string): Readonly<Record<string, number>> {
  const { [key]: _, ...others } = begun;
  return others;
}

/** Counts a deed once, and forgets what no limit looks at any more. */
export function withDeed(deeds: readonly Deed[], deed: Deed): readonly Deed[] {
  const recent = deeds.filter(({ at, key }) => at > deed.at - longestRestMs && key !== deed.key);
  return [...recent, deed].slice(-keptDeeds);
}

/** How many deeds of a kind there were in the last 24 hours. */
export function countToday(deeds: readonly Deed[], kind: string, now: number): number {
  return deeds.filter((deed) => deed.kind === kind && deed.at > now - dayMs).length;
}

/** Remembers what a turn of a loop showed. */
export function withShown(
  shown: Readonly<Record<string, readonly Shown[]>>,
  room: string,
  one: Shown,
): Readonly<Record<string, readonly Shown[]>> {
  const others = (shown[room] ?? []).filter(({ turn }) => turn !== one.turn);
  return { ...shown, [room]: [...others, one].slice(-keptShown) };
}

/** The newest turn in which a post was shown in a room, with its author; undefined when it was not. */
export function findShown(
  shown: Readonly<Record<string, readonly Shown[]>>,
  room: string,
  postId: string,
): { readonly turn: string; readonly authorId: string } | undefined {
  for (const { turn, posts } of (shown[room] ?? []).toReversed()) {
    const authorId = Object.hasOwn(posts, postId) ? posts[postId] : undefined;
    if (authorId !== undefined) return { turn, authorId };
  }
  return undefined;
}

/** How much alike two texts may be. */
const mostAlike = 0.8;

/** Something for everybody that says the same already. */
export function findRepeat(sent: readonly Sent[], text: string): Sent | undefined {
  const words = wordsOf(text);
  return sent.find(
    (one) => one.words !== undefined && (one.words === words || likeness(one.words, words) >= mostAlike),
  );
}

/** A text as it is compared with others. */
export function wordsOf(text: string): string {
  return comparableText(text).slice(0, 600);
}

/** How many texts answered a post; the pieces of one text count once. */
export function countAnswers(sent: readonly Sent[], postId: string, exceptText: string): number {
  const texts = new Set(sent.filter(({ answers }) => answers === postId).map(({ key }) => textKeyOf(key)));
  texts.delete(exceptText);
  return texts.size;
}

/** How many texts were said in a conversation in the last 24 hours. */
export function countInConversation(sent: readonly Sent[], conversation: string, now: number): number {
  const recent = sent.filter((one) => one.conversation === conversation && one.at > now - dayMs);
  return new Set(recent.map(({ key }) => textKeyOf(key))).size;
}

/** What the pieces of one text have in common in their keys. */
export function textKeyOf(deliveryKey: string): string {
  return deliveryKey.slice(0, deliveryKey.lastIndexOf("/"));
}

/** The number of a piece, from 0. */
export function pieceOf(deliveryKey: string): number {
  const piece = Number(deliveryKey.slice(deliveryKey.lastIndexOf("/") + 1));
  return Number.isSafeInteger(piece) && piece > 0 ? piece : 0;
}

/** When an author may next be dealt with, epoch milliseconds; 0 when now. */
export function restsUntil(deeds: readonly Deed[], authorId: string, restMs: number): number {
  const times = deeds.filter((deed) => deed.authorId === authorId).map(({ at }) => at);
  return times.length === 0 ? 0 : Math.max(...times) + restMs;
}

function readSent(value: unknown): readonly Sent[] | null {
  return readAll(value, (one) => {
    const [key, id, answers, conversation, words] = ["key", "id", "answers", "conversation", "words"].map((name) =>
      textIn(one, name),
    );
    const at = one["at"];
    if (key === undefined || id === undefined || typeof at !== "number") return null;
    return {
      ...{ key, id, at },
      ...(answers !== undefined && { answers }),
      ...(conversation !== undefined && { conversation }),
      ...(words !== undefined && { words }),
    };
  });
}

function readDeeds(value: unknown): readonly Deed[] | null {
  return readAll(value, (one) => {
    const [key, kind, turn, authorId] = ["key", "kind", "turn", "authorId"].map((name) => textIn(one, name));
    const at = one["at"];
    if (key === undefined || kind === undefined || typeof at !== "number") return null;
    return { ...{ key, kind, at }, ...(turn !== undefined && { turn }), ...(authorId !== undefined && { authorId }) };
  });
}

function readAll<T>(
  value: unknown,
  read: (one: NonNullable<ReturnType<typeof fieldsOf>>) => T | null,
): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  return listIn({ value }, "value")
    .map(read)
    .filter((one) => one !== null);
}

function readNumbers(value: unknown): Readonly<Record<string, number>> | null {
  const fields = fieldsOf(value);
  if (!fields) return null;
  return Object.fromEntries(Object.entries(fields).flatMap(([key, at]) => (typeof at === "number" ? [[key, at]] : [])));
}

function readTexts(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : null;
}

function readShown(value: unknown): Readonly<Record<string, readonly Shown[]>> | null {
  const fields = fieldsOf(value);
  if (!fields) return null;
  return Object.fromEntries(
    Object.keys(fields).map((room) => [
      room,
      listIn(fields, room).flatMap((one): readonly Shown[] => {
        const turn = textIn(one, "turn");
        const posts = fieldsOf(one["posts"]);
        if (turn === undefined || !posts) return [];
        const texts = Object.entries(posts).flatMap(([id, author]) =>
          typeof author === "string" ? [[id, author]] : [],
        );
        return [{ turn, posts: Object.fromEntries(texts) }];
      }),
    ]),
  );
}
