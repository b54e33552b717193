import type { PlatformSettings } from "@troupe/core";

/** Something that can be seen on a simulated platform. A `key` belongs to one message of the stage. */
export type Happening =
  | Said
  /** A message says something else now. */
  | { readonly type: "changed"; readonly key: string; readonly text: string }
  | { readonly type: "removed"; readonly key: string }
  /** Anything else, as an end of a sentence: "likes “Good morning.”" */
  | { readonly type: "did"; readonly place: string; readonly by: string; readonly what: string };

/** A message that was said, by a person or by a bot. */
export type Said = {
  readonly type: "said";
  readonly key: string;
  /** The message's id as the platform's client knows it; in chats with different bots there may be the same one twice. */
  readonly id: string;
  /** The platform's id of the room it stands in. */
  readonly room: string;
  /** Nobody is there but the two of them. */
  readonly isDirect: boolean;
  /** The room as people call it: `#harbour`. */
  readonly place: string;
  readonly by: string;
  /** The account of the bot that said it; null for a person. */
  readonly account: string | null;
  readonly text: string;
  /** The key of the message it answers. */
  readonly answers: string | null;
  /** The accounts of the bots it is meant for, by a mention, as an answer to them, or because nobody else is there. */
  readonly addressed: readonly string[];
};

/** A bot that lives on a simulated platform. */
type StagedBot = {
  readonly name: string;
  /** The platform's id of it. */
  readonly account: string;
  /** What stands in `.env`, or under a character's secrets, for the program to be it. */
  readonly credentials: Readonly<Record<string, string>>;
};

/** A simulated platform with a town on it, as the program plays with it. */
export type Stage = {
  /** As clients call it. */
  readonly platform: string;
  /** As people call it. */
  readonly title: string;
  /** Where it is reached. */
  readonly address: string;
  readonly bots: readonly StagedBot[];
  /** The variables by which the program finds this platform instead of the real one. */
  readonly variables: Readonly<Record<string, string>>;
  /** Settings under the platform's name that a character needs for living here; they win over its own. */
  readonly settings?: PlatformSettings;
  /** Whether a client hears, after an outage, what somebody said meanwhile who had never written to it in private before. */
  readonly tellsFirstWords: boolean;
  /** What the people of the town are in: one line. */
  readonly description: string;
  /** Hears everything that can be seen from now on; the function it returns ends it. */
  listen(listener: (happening: Happening) => void): () => void;
  /** Whether some program is connected as one of the bots. */
  isConnected(): boolean;
  /** Whether every program has been told all there is to tell. */
  isToldAll(): boolean;
  /** Somebody in the town does something. */
  step(): void;
  /** Where a person may say something, as `say` takes it. */
  places(): readonly string[];
  /**
   * Says something there as the visitor, `@name` being a mention of a bot.
   * @throws Error saying what was wrong, in words for a person.
   */
  say(place: string, text: string): void;
  /** Lets something go wrong, and says what. */
  disturb(): string;
  /** How often it went wrong so that no client can know whether a message arrived; 0 where it can always be found out. */
  hiddenArrivals(): number;
  /** Nothing goes wrong any more. */
  calm(): void;
  close(): Promise<void>;
};

/** What a stage is made of. */
export type StageOptions = {
  /** Any free port when absent. */
  readonly port?: number;
  /** The names of the bots; at least one. */
  readonly bots: readonly string[];
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Epoch milliseconds: what tells this simulator's ids from those of an earlier one. */
  readonly startedAt: number;
};

/** How the visitor, the person at the keyboard, is called on every stage. */
export const visitorName = "Visitor";

/** One of many, by chance. @throws Error when there are none. */
export function pickOne<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

/** A text as an end of a sentence quotes it. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "something" : `“${line.length > 60 ? `${line.slice(0, 60).toWellFormed()}…` : line}”`;
}

/** A name as an account's name may be written: letters and digits of ASCII; the fallback where none is left. */
export function toHandle(name: string, fallback: string): string {
  const handle = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[_\d]+|_+$/g, "")
    .slice(0, 20);
  return handle.length < 2 ? fallback : handle;
}

/** Puts a platform's mentions in the place of `@name`, for the names given. */
export function withMentions(text: string, mentions: Readonly<Record<string, string>>): string {
  let said = text;
  // Longer names first: one may begin with another.
  for (const name of Object.keys(mentions).toSorted((left, right) => right.length - left.length)) {
    const pattern = new RegExp(`@${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, "giu");
    said = said.replaceAll(pattern, () => mentions[name] ?? name);
  }
  return said;
}

/** A place by the name a person wrote: exact, else the only one that begins so. @throws Error naming the places there are. */
export function findPlace<T>(places: ReadonlyMap<string, T>, written: string): T {
  const key = (name: string): string => name.toLowerCase().replace(/^#/, "").replaceAll(/\s+/g, "-");
  const wanted = key(written.trim());
  const named = [...places].map(([name, place]) => [key(name), place] as const);
  const exact = named.find(([name]) => name === wanted);
  if (exact) return exact[1];
  const [only, ...others] = named.filter(([name]) => name.startsWith(wanted));
  if (only && others.length === 0 && wanted !== "") return only[1];
  throw new Error(`There is no place ${written.trim()}; there are: ${[...places.keys()].join(", ")}.`);
}
