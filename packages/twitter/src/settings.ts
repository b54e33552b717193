import type { PlatformSettings } from "@troupe/core";
import { createReading, type Reading } from "./read-setting.ts";
import type { Forbidden } from "./text.ts";

/** What a character does by itself on X. Each is off until it is switched on. */
export type LoopName = "mentions" | "posts" | "timeline" | "search" | "targets" | "direct";

/** What a batch of posts may lead to. */
export type EngagementKind = "like" | "retweet" | "quote" | "reply" | "follow" | "bookmark";

/** A loop that is switched on: how long it rests between its turns, from and to. */
export type LoopSettings = { readonly restMs: readonly [number, number] };

/** The part of the character's settings that this client itself goes by, with every default filled in. */
export type TwitterSettings = {
  /** Those that are switched on. */
  readonly loops: ReadonlyMap<LoopName, LoopSettings>;
  /** What is older is remembered, not answered. */
  readonly answerWithinMs: number;
  /** Whom X lets this account answer and quote: who mentioned it, or everybody (Enterprise). */
  readonly repliesTo: "mentioned" | "everybody";
  /** How many texts one post may be answered with. */
  readonly repliesPerPost: number;
  /** How many answers in one conversation in 24 hours; two machines do not talk for ever. */
  readonly repliesPerConversation: number;
  /** How many posts above a mention are read for the conversation. */
  readonly parents: number;
  readonly engagements: readonly EngagementKind[];
  readonly perRun: number;
  /** In 24 hours, by kind; `post` are those it writes by itself. */
  readonly perDay: Readonly<Record<EngagementKind | "post", number>>;
  /** How relevant a post must be, 0..10, before the kind is done to it. */
  readonly relevance: Readonly<Record<EngagementKind, number>>;
  /** An author is left alone so long after something was done to one of their posts. */
  readonly authorRestMs: number;
  /** How many posts are shown to the model at once. */
  readonly batch: number;
  readonly targetUsers: readonly string[];
  readonly searchFor: readonly string[];
  readonly forbidden: Forbidden;
  readonly isNumbered: boolean;
  /** Who writes one of these and nothing else is never answered again. Lower case. */
  readonly optOutWords: readonly string[];
  readonly optInWords: readonly string[];
  readonly dailySpendUsd: number | null;
  readonly isDry: boolean;
};

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const kinds = ["like", "retweet", "quote", "reply", "follow", "bookmark"] as const;

const usualPerDay = { post: 12, like: 40, retweet: 8, quote: 4, reply: 10, follow: 4, bookmark: 20 } as const;
const usualRelevance = { like: 7, retweet: 8, quote: 8, reply: 8, follow: 9, bookmark: 7 } as const;
const usualOptOut = ["stop", "stop replying", "unsubscribe", "opt out", "leave me alone", "go away"] as const;
const usualOptIn = ["start", "opt in", "subscribe", "you may reply"] as const;

/**
 * Reads what a character's file says under `platforms.twitter`.
 * @throws ConfigError naming the setting and what it may be.
 */
export function readSettings(settings: PlatformSettings): TwitterSettings {
  const said = createReading(settings);
  return {
    loops: loopsOf(said),
    answerWithinMs: said.amount("answerWithinMs", 24 * hourMs),
    repliesTo: said.word("repliesTo", ["mentioned", "everybody"], "mentioned"),
    repliesPerPost: said.whole("repliesPerPost", 1),
    repliesPerConversation: said.whole("repliesPerConversation", 12),
    parents: said.whole("parents", 3, 10),
    engagements: said.words("engagements", kinds, ["like", "retweet", "quote", "reply"]),
    perRun: said.whole("maxActionsPerRun", 3),
    perDay: said.amounts("maxPerDay", usualPerDay, Number.MAX_SAFE_INTEGER),
    relevance: said.amounts("relevance", usualRelevance, 10),
    authorRestMs: said.amount("authorRestMinutes", 24 * 60) * minuteMs,
    batch: Math.max(1, said.whole("batchSize", 15, 50)),
    targetUsers: said.names("targetUsers", []),
    searchFor: said.names("searchFor", []),
    forbidden: said.forbidden("forbid"),
    isNumbered: said.flag("numberedThreads"),
    optOutWords: said.names("optOutWords", usualOptOut).map((word) => word.toLowerCase()),
    optInWords: said.names("optInWords", usualOptIn).map((word) => word.toLowerCase()),
    dailySpendUsd: said.limit("dailySpendUsd", 5),
    isDry: said.flag("dryRun"),
  };
}

function loopsOf(said: Reading): TwitterSettings["loops"] {
  const loops = new Map<LoopName, LoopSettings>();
  const add = (name: LoopName, isOn: boolean, restMs: readonly [number, number]): void => {
    if (isOn) loops.set(name, { restMs });
  };
  add("mentions", said.flag("mentions"), said.range("pollIntervalSeconds", [90, 150], secondMs));
  add("posts", said.flag("posts"), said.range("postIntervalMinutes", [90, 180], minuteMs));
  add("timeline", said.flag("homeTimeline"), said.range("timelineIntervalMinutes", [45, 90], minuteMs));
  add("search", said.flag("search"), said.range("searchIntervalMinutes", [90, 180], minuteMs));
  add("targets", said.flag("targets"), said.range("targetIntervalMinutes", [30, 60], minuteMs));
  add("direct", said.flag("directMessages"), said.range("directIntervalSeconds", [120, 240], secondMs));
  return loops;
}
