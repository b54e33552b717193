import type { Memory } from "../memory/memory.ts";
import type { RoomStance } from "../room/room.ts";
import type { DecisionKind } from "../run/entry.ts";
import { callsName } from "./find-name.ts";
import { isQuiet, readQuietHours } from "./quiet-hours.ts";

/** What the rules look at. Everything comes from the stored message and room, so a decision can be made again. */
export type DecisionFacts = {
  /** The newest of the messages to be answered. */
  readonly message: Memory;
  /** Whether a program, not a person, wrote it, as far as the platform says. */
  readonly isFromBot: boolean;
  readonly isCommand: boolean;
  readonly stance: RoomStance;
  /** Messages before it, oldest first; each says whether a program or the agent wrote it. */
  readonly earlier: readonly { readonly isFromBot: boolean; readonly isOwn: boolean }[];
  /** What the agent is called: name and user name. */
  readonly names: readonly string[];
  readonly settings: {
    readonly shouldRespondOnlyToMentions?: boolean;
    readonly shouldIgnoreBotMessages?: boolean;
    readonly shouldIgnoreDirectMessages?: boolean;
    readonly allowedRoomIds?: readonly string[];
    readonly allowedEntityIds?: readonly string[];
    readonly allowedWorldIds?: readonly string[];
    readonly deniedRoomIds?: readonly string[];
    readonly deniedEntityIds?: readonly string[];
    readonly deniedWorldIds?: readonly string[];
    /** Rooms in which the agent hears everything and says nothing, unless it is asked by a command. */
    readonly listenOnlyRoomIds?: readonly string[];
    /** Outside direct messages: `mention` like shouldRespondOnlyToMentions, `all` answers unasked, `off` never answers. */
    readonly groupPolicy?: "mention" | "all" | "off";
    /** `22:00-07:00` by the clocks of `timeZone`, UTC when absent. */
    readonly quietHours?: string;
    readonly timeZone?: string;
    /** The share of the newest messages of a group that may be the agent's own before it joins in unasked, 0..1. */
    readonly maxTalkShare?: number;
  };
  /** Epoch milliseconds. */
  readonly now: number;
  /** The platform's ids of room and writer, for the allow-lists. */
  readonly roomPlatformId: string;
  /** The room this one is a part of: a topic's chat, a thread's channel. What allows it allows its parts. */
  readonly parentPlatformId?: string;
  readonly entityPlatformId: string;
};

/** Whether to speak, by which rule, and why in one sentence. */
export type Decision = { readonly decision: DecisionKind; readonly rule: string; readonly reason: string };

/** So many messages by programs in a row, ours included, and the agent waits for a person. */
export const botStreakLimit = 6;

type Rule = (facts: DecisionFacts) => Decision | null;

const respond = (rule: string, reason: string): Decision => ({ decision: "respond", rule, reason });
const ignore = (rule: string, reason: string): Decision => ({ decision: "ignore", rule, reason });

/** In this order; the first rule that has an opinion decides. */
const rules: readonly Rule[] = [
  (facts) =>
    facts.message.entityId === facts.message.agentId ? ignore("own-message", "The agent wrote it itself.") : null,
  (facts) => (isEmpty(facts.message) ? ignore("nothing-said", "The message has neither text nor attachments.") : null),
  allowedRoom,
  allowedWorld,
  allowedEntity,
  (facts) =>
    facts.settings.groupPolicy === "off" && !isDirect(facts)
      ? ignore("groups-off", "It was said in a group, and groupPolicy is off.")
      : null,
  (facts) =>
    facts.message.metadata?.["late"] === true
      ? ignore("too-old", "It was said so long before it was heard that an answer would come too late.")
      : null,
  unanswered,
  (facts) => (facts.isCommand ? respond("command", "It is a command to the agent.") : null),
  (facts) =>
    isOneOf(facts.settings.listenOnlyRoomIds, placesOf(facts))
      ? ignore("listen-only", "The room is among listenOnlyRoomIds: the agent only listens there.")
      : null,
  (facts) =>
    facts.isFromBot && facts.settings.shouldIgnoreBotMessages === true
      ? ignore("bot-message", "A bot wrote it, and shouldIgnoreBotMessages is on.")
      : null,
  botLoop,
  quietHours,
  (facts) =>
    facts.stance === "muted" && !mentionsAgent(facts)
      ? ignore("muted", "The room is muted; only a mention of the agent is heard there.")
      : null,
  directMessage,
  (facts) => (mentionsAgent(facts) ? respond("mention", "The message mentions the agent.") : null),
  (facts) =>
    facts.message.content.mentionContext?.repliesToAgent === true
      ? respond("reply-to-agent", "The message answers one of the agent's own.")
      : null,
  (facts) =>
    facts.settings.shouldRespondOnlyToMentions === true
      ? ignore("mentions-only", "It does not mention the agent, and shouldRespondOnlyToMentions is on.")
      : null,
  (facts) =>
    facts.settings.groupPolicy === "mention"
      ? ignore("mentions-only", "It does not mention the agent, and groupPolicy is mention.")
      : null,
  (facts) =>
    callsName(facts.message.content.text, facts.names) ? respond("name", "The message calls the agent by name.") : null,
  (facts) =>
    facts.message.content.mentionContext?.mentionsOther === true
      ? ignore("other-addressed", "The message is addressed to somebody else.")
      : null,
  talkShare,
  (facts) =>
    facts.stance === "stopped"
      ? ignore("stopped", "The conversation was ended; the agent is silent here until somebody addresses it.")
      : null,
  (facts) =>
    facts.settings.groupPolicy === "all"
      ? respond("group-policy", "It answers everybody here: groupPolicy is all.")
      : null,
];

/**
 * Decides by rules alone, the same for every platform; `null` leaves it to the model. Nothing in it depends on the
 * language of the message or its length.
 */
export function decideByRules(facts: DecisionFacts): Decision | null {
  for (const rule of rules) {
    const decision = rule(facts);
    if (decision) return decision;
  }
  return null;
}

function isEmpty(message: Memory): boolean {
  return message.content.text.trim() === "" && (message.content.attachments ?? []).length === 0;
}

/** The client knows why: it stands there for the conversation's sake, or its writer wants no answers. */
function unanswered({ message }: DecisionFacts): Decision | null {
  const reason = message.metadata?.["unanswered"];
  return typeof reason === "string" ? ignore("unanswered", reason) : null;
}

function isDirect(facts: DecisionFacts): boolean {
  return facts.message.content.channelType === "dm";
}

function mentionsAgent(facts: DecisionFacts): boolean {
  return facts.message.content.mentionContext?.mentionsAgent === true;
}

/** The room, and the one it is a part of. */
function placesOf({ roomPlatformId, parentPlatformId }: DecisionFacts): readonly (string | undefined)[] {
  return [roomPlatformId, parentPlatformId];
}

function isOneOf(list: readonly string[] | undefined, ids: readonly (string | undefined)[]): boolean {
  return list !== undefined && ids.some((id) => id !== undefined && list.includes(id));
}

function allowedRoom(facts: DecisionFacts): Decision | null {
  const { allowedRoomIds, deniedRoomIds } = facts.settings;
  if (isOneOf(deniedRoomIds, placesOf(facts))) return ignore("room-denied", "The room is among deniedRoomIds.");
  if (!allowedRoomIds || isOneOf(allowedRoomIds, placesOf(facts))) return null;
  return ignore("room-not-allowed", "The room is not among allowedRoomIds.");
}

/** Direct messages belong to no world, and no list of worlds says anything about them. */
function allowedWorld({ message, settings }: DecisionFacts): Decision | null {
  const world = message.metadata?.["worldPlatformId"];
  if (typeof world !== "string") return null;
  if (isOneOf(settings.deniedWorldIds, [world])) return ignore("world-denied", "The server is among deniedWorldIds.");
  if (!settings.allowedWorldIds || settings.allowedWorldIds.includes(world)) return null;
  return ignore("world-not-allowed", "The server is not among allowedWorldIds.");
}

function allowedEntity({ entityPlatformId, settings }: DecisionFacts): Decision | null {
  const { allowedEntityIds, deniedEntityIds } = settings;
  if (isOneOf(deniedEntityIds, [entityPlatformId]))
    return ignore("entity-denied", "The writer is among deniedEntityIds.");
  if (!allowedEntityIds || allowedEntityIds.includes(entityPlatformId)) return null;
  return ignore("entity-not-allowed", "The writer is not among allowedEntityIds.");
}

function botLoop(facts: DecisionFacts): Decision | null {
  if (!facts.isFromBot) return null;
  const streak = facts.earlier.slice(-botStreakLimit);
  const isLoop = streak.length === botStreakLimit && streak.every((message) => message.isFromBot || message.isOwn);
  return isLoop
    ? ignore("bot-loop", `The last ${botStreakLimit} messages came from bots only; the agent waits for a person.`)
    : null;
}

function quietHours({ settings, now }: DecisionFacts): Decision | null {
  const hours = settings.quietHours === undefined ? null : readQuietHours(settings.quietHours);
  if (!hours || !isQuiet(hours, now, settings.timeZone ?? "UTC")) return null;
  return ignore("quiet-hours", `It is quiet from ${settings.quietHours} ${settings.timeZone ?? "UTC"} (quietHours).`);
}

/** How many of the newest messages count for the share. */
const talkWindow = 20;

function talkShare({ settings, earlier }: DecisionFacts): Decision | null {
  const newest = earlier.slice(-talkWindow);
  if (settings.maxTalkShare === undefined || newest.length === 0) return null;
  const share = newest.filter(({ isOwn }) => isOwn).length / newest.length;
  if (share <= settings.maxTalkShare) return null;
  return ignore(
    "talk-share",
    `The agent said ${Math.round(share * 100)} % of the newest messages here; more than maxTalkShare allows unasked.`,
  );
}

function directMessage(facts: DecisionFacts): Decision | null {
  if (!isDirect(facts)) return null;
  return facts.settings.shouldIgnoreDirectMessages === true
    ? ignore("direct-message-ignored", "It is a direct message, and shouldIgnoreDirectMessages is on.")
    : respond("direct-message", "It is a direct message.");
}
