import type { Receive } from "@troupe/core";
import { toAsked } from "./asking.ts";
import type { Hearer } from "./inbound.ts";
import { countToday, type Ledger } from "./ledger.ts";
import type { Loop } from "./loop.ts";
import { feedRoomId } from "./outbound.ts";
import type { TwitterSettings } from "./settings.ts";
import { textLimit } from "./text.ts";

/** What posting by itself needs. */
export type PostsParts = {
  readonly receive: Receive;
  readonly ledger: Ledger;
  readonly settings: TwitterSettings;
  readonly hearer: () => Hearer;
  readonly topics: readonly string[];
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly isQuiet: () => boolean;
};

const shownPosts = 8;

/** Has the character write a post of its own from time to time. */
export function createPosts(parts: PostsParts, restMs: readonly [number, number]): Loop {
  return {
    name: "posts",
    restMs,
    async run({ id }) {
      const { ledger, settings, hearer, topics, random, receive, isQuiet } = parts;
      const { account, agentId, now } = hearer();
      if (isQuiet() || countToday(ledger.deeds.get(), "post", now) >= settings.perDay.post) return;
      const topic = topics[Math.floor(random() * topics.length)];
      const recent = ledger.sent.get().flatMap(({ words }) => (words === undefined ? [] : [words]));
      const text = postingText({ topic, recent: recent.slice(-shownPosts), settings });
      await receive(toAsked({ account, agentId, roomId: feedRoomId, roomName: "Own posts", turn: id, text, at: now }));
    },
  };
}

type Posting = {
  readonly topic: string | undefined;
  readonly recent: readonly string[];
  readonly settings: Pick<TwitterSettings, "forbidden">;
};

/** What the character is asked. */
function postingText({ topic, recent, settings }: Posting): string {
  const { links, mentions, hashtags } = settings.forbidden;
  const without = [
    ...(links === true ? ["links"] : []),
    ...(mentions === true ? ["names of accounts"] : []),
    ...(hashtags === true ? ["hashtags"] : []),
  ];
  const about = topic === undefined ? "something that is on your mind" : `something about ${topic}`;
  return [
    `Write your next post on X: ${about}, as you would say it unasked. Your text is posted as it is; one thought, at most ${textLimit} characters${
      without.length > 0 ? `, without ${without.join(" and ")}` : ""
    }.`,
    ...(recent.length > 0 ? ["", "You have posted these already; say something else:"] : []),
    ...recent.map((words) => `- ${words}`),
  ].join("\n");
}
