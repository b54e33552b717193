import type { JsonObject } from "../json.ts";

/** Where a conversation takes place, as the platform sees it. */
export type ChannelType = "dm" | "group" | "thread" | "forum" | "feed";

/** Something that came with a message or goes out with one: an image, a voice note, a document. */
export type Attachment = {
  readonly id: string;
  readonly url: string;
  /** IANA media type, e.g. `image/png`. */
  readonly mediaType?: string;
  readonly title?: string;
  readonly sizeBytes?: number;
  /** What it shows or says, in words, once somebody looked. */
  readonly description?: string;
  /** Why it can never be looked at, as an end of a sentence: "it is encrypted". */
  readonly problem?: string;
};

/** Who a message is meant for, told apart by the client from the platform's own marks. */
export type MentionContext = {
  /** The agent's account is named by a real mention. */
  readonly mentionsAgent: boolean;
  /** The message answers one of the agent's own. */
  readonly repliesToAgent: boolean;
  /** Somebody else is addressed by name or mention, and the agent is not. */
  readonly mentionsOther?: boolean;
  /** Everyone or a role is addressed, not the agent as such. */
  readonly mentionsEveryone?: boolean;
};

/** One of the answers somebody may choose by pressing a button; `value` comes back, `label` (1..80 characters) is shown. */
export type Choice = { readonly value: string; readonly label: string };

/** A command that was asked for by name, or a choice that was made: what the words of the message mean to a program. */
export type CommandCall = {
  /** Lower case, without a slash; `choose` for a button, whose parameters are then `{ value }`. */
  readonly name: string;
  readonly parameters: JsonObject;
};

/** What was said. Texts are well-formed Unicode; an empty string when only attachments came. */
export type Content = {
  readonly text: string;
  readonly thought?: string;
  /** Names of the actions the answer asked for, in order. */
  readonly actions?: readonly string[];
  /** Names of the providers the answer asked for. */
  readonly providers?: readonly string[];
  readonly attachments?: readonly Attachment[];
  /** The Memory this one answers. */
  readonly inReplyTo?: string;
  /** The platform it came from: "terminal", "discord" … */
  readonly source?: string;
  readonly url?: string;
  readonly channelType?: ChannelType;
  readonly mentionContext?: MentionContext;
  /** Upper-case keywords the answer carried: LIKE, RETWEET … */
  readonly keywords?: readonly string[];
  /** Answers that are offered with it as buttons, where the platform has some. */
  readonly choices?: readonly Choice[];
  /** Present when the message is a command; `text` then says the same in words. */
  readonly command?: CommandCall;
};

/** What kind of thing is remembered. A summary stands for a span of older messages, a reaction for a mark somebody gave to one. */
export type MemoryType = "message" | "reaction" | "fact" | "document" | "fragment" | "summary" | "episode";

/** The unit of persistence: in a room, by an entity. Ids are derived, so the same event is the same row for ever. */
export type Memory = {
  readonly id: string;
  readonly agentId: string;
  readonly roomId: string;
  readonly entityId: string;
  readonly type: MemoryType;
  readonly content: Content;
  /** Epoch milliseconds, by the platform's clock where it has one. */
  readonly createdAt: number;
  /** The platform's own id of the message, once it has one. */
  readonly platformId?: string;
  /** The run that wrote it; absent for what was heard. */
  readonly runId?: string;
  readonly metadata?: JsonObject;
};
