import type { JsonValue } from "../json.ts";
import type { CharacterModels } from "./model-settings.ts";

/**
 * Who an agent is, ready for use: every list present, every placeholder for a name resolved, every text clean.
 * Made by `readCharacter`; nothing changes it afterwards.
 */
export type Character = {
  /** The agent's own id (a UUID in lower case) where the file fixes one; else it is derived from the name. */
  readonly id?: string;
  readonly name: string;
  /** The handle on platforms, without the leading `@`. */
  readonly username?: string;
  /** Instructions that stand before everything else in the prompt. */
  readonly system?: string;
  readonly bio: readonly string[];
  readonly lore: readonly string[];
  readonly style: CharacterStyle;
  readonly topics: readonly string[];
  readonly adjectives: readonly string[];
  /** Short conversations that show how the character speaks. */
  readonly messageExamples: readonly (readonly ExampleMessage[])[];
  readonly postExamples: readonly string[];
  readonly knowledge: readonly KnowledgeSource[];
  /** Prompt templates by name (`messageHandler`, `shouldRespond`, …), still with their placeholders. */
  readonly templates: Readonly<Record<string, string>>;
  readonly settings: CharacterSettings;
  /** From `secrets` and `settings.secrets`; never written to a log. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Names of the plugins to load. */
  readonly plugins: readonly string[];
  /** Settings by platform name; one that is not mentioned has none. */
  readonly platforms: Readonly<Record<string, PlatformSettings>>;
};

/** Rules of style: for everything, for conversations, for posts. */
type CharacterStyle = {
  readonly all: readonly string[];
  readonly chat: readonly string[];
  readonly post: readonly string[];
};

/** One message of an example conversation. `name` is the character's own name exactly where the character speaks. */
export type ExampleMessage = {
  readonly name: string;
  readonly content: { readonly text: string; readonly actions?: readonly string[] };
};

/** Something the character knows: a text as it stands, or where texts are to be read. `shared`: for all agents. */
export type KnowledgeSource =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string; readonly shared: boolean }
  | { readonly kind: "directory"; readonly directory: string; readonly shared: boolean }
  | { readonly kind: "url"; readonly url: string; readonly shared: boolean };

/** Names, similes or tags of actions: nothing but those of `include` (absent: all), and none of `exclude`. */
export type ActionRules = {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Further choices for single rooms, by the platform's ids. */
  readonly rooms?: Readonly<
    Record<string, { readonly include?: readonly string[]; readonly exclude?: readonly string[] }>
  >;
};

/** To whom the character listens; the ids are the platform's own. An absent list allows everybody. */
type ListeningRules = {
  readonly shouldRespondOnlyToMentions?: boolean;
  readonly shouldIgnoreBotMessages?: boolean;
  readonly shouldIgnoreDirectMessages?: boolean;
  /** Outside direct messages: only when addressed, to everybody, or never. */
  readonly groupPolicy?: "mention" | "all" | "off";
  /** When the character keeps silent, `22:00-07:00`, by the clocks of `timeZone` (UTC when absent). */
  readonly quietHours?: string;
  readonly timeZone?: string;
  /** Share of a group's newest messages, 0..1, that may be its own before it joins in unasked. */
  readonly maxTalkShare?: number;
  readonly allowedRoomIds?: readonly string[];
  readonly allowedEntityIds?: readonly string[];
  readonly allowedWorldIds?: readonly string[];
  readonly deniedRoomIds?: readonly string[];
  readonly deniedEntityIds?: readonly string[];
  readonly deniedWorldIds?: readonly string[];
  /** Rooms it hears and, commands aside, says nothing in. */
  readonly listenOnlyRoomIds?: readonly string[];
  /** How long adjacent messages of one person are waited for and answered together, in milliseconds. */
  readonly coalesceMs?: number;
  /** Which actions it may use. */
  readonly actions?: ActionRules;
};

/** What a character remembers from before the recent messages. */
type RecallChoice = {
  readonly scope?: "room" | "person" | "world";
  readonly limit?: number;
  readonly timeoutMs?: number;
};

/** How much a character is shown of the documents it knows. */
type KnowledgeChoice = { readonly limit?: number; readonly tokens?: number };

/** How files that come with messages are looked at. */
type AttachmentsChoice = {
  readonly enabled?: boolean;
  readonly limit?: number;
  readonly maxSizeBytes?: number;
  readonly timeoutMs?: number;
};

/** The settings the engine knows, typed; whatever else the file says is kept as it is, for plugins. */
export type CharacterSettings = ListeningRules & {
  /** `openai`, `anthropic` or `openai-compatible`; absent: whatever the environment offers. */
  readonly modelProvider?: string;
  /** A model named by `settings.model` already stands in `small` and `large` here, unless those are named themselves. */
  readonly models: CharacterModels;
  /** 0 (always the likeliest word) to 2. */
  readonly temperature?: number;
  /** The longest answer, in tokens. */
  readonly maxTokens?: number;
  readonly mode?: "reply" | "steps";
  readonly responseFormat?: "json" | "xml" | "tools" | "text";
  /** Model calls in one run, 1..100. */
  readonly maxSteps?: number;
  /** A run that takes longer ends with RUN_TIMEOUT. */
  readonly runTimeoutMs?: number;
  /** Recent messages shown to the model, 0..1000. */
  readonly historyMessages?: number;
  /** Recent messages shown to the model, in estimated tokens at most. */
  readonly historyTokens?: number;
  readonly recall?: RecallChoice;
  /** false: nothing is noted about people. */
  readonly facts?: boolean;
  /** Said once in a room into which it was taken; absent: nothing. */
  readonly joinMessage?: string;
  /** What owners and admins of servers may set there: false for nothing, names for only those; absent: everything. */
  readonly worldSettings?: boolean | readonly string[];
  /** false: long conversations are not summed up. */
  readonly summaries?: boolean;
  /** What it keeps of what happened between a message and its outcome. */
  readonly episodes?: {
    readonly keep?: "steps" | "always" | "never";
    readonly limit?: number;
    readonly most?: number;
    readonly maxAgeDays?: number;
    readonly summarise?: boolean;
  };
  readonly attachments?: AttachmentsChoice;
  readonly knowledge?: KnowledgeChoice;
  /** false: only the first action of an answer runs. */
  readonly actionPlanning?: boolean;
  readonly [key: string]: JsonValue | CharacterModels | undefined;
};

/** Settings for one platform: the listening rules, whether to connect at all, and what that platform's client knows. */
export type PlatformSettings = ListeningRules & {
  /** false: never connects; true: says so when it cannot; absent: connects when the credentials are there. */
  readonly enabled?: boolean;
  readonly [key: string]: JsonValue | undefined;
};

/**
 * The settings that hold for a character on one platform: the platform's own, and the general listening rules where the
 * platform says nothing.
 */
export function platformSettings(character: Character, platform: string): PlatformSettings {
  const own = Object.hasOwn(character.platforms, platform) ? character.platforms[platform] : undefined;
  return { ...listeningRules(character.settings), ...own };
}

function listeningRules(settings: CharacterSettings): ListeningRules {
  const { shouldRespondOnlyToMentions, shouldIgnoreBotMessages, shouldIgnoreDirectMessages } = settings;
  const { groupPolicy, allowedRoomIds, allowedEntityIds, coalesceMs, quietHours, timeZone, maxTalkShare, actions } =
    settings;
  const { allowedWorldIds, deniedRoomIds, deniedEntityIds, deniedWorldIds, listenOnlyRoomIds } = settings;
  return {
    ...(shouldRespondOnlyToMentions !== undefined && { shouldRespondOnlyToMentions }),
    ...(shouldIgnoreBotMessages !== undefined && { shouldIgnoreBotMessages }),
    ...(shouldIgnoreDirectMessages !== undefined && { shouldIgnoreDirectMessages }),
    ...(quietHours !== undefined && { quietHours }),
    ...(timeZone !== undefined && { timeZone }),
    ...(maxTalkShare !== undefined && { maxTalkShare }),
    ...(groupPolicy !== undefined && { groupPolicy }),
    ...(allowedRoomIds !== undefined && { allowedRoomIds }),
    ...(allowedEntityIds !== undefined && { allowedEntityIds }),
    ...(allowedWorldIds !== undefined && { allowedWorldIds }),
    ...(deniedRoomIds !== undefined && { deniedRoomIds }),
    ...(deniedEntityIds !== undefined && { deniedEntityIds }),
    ...(deniedWorldIds !== undefined && { deniedWorldIds }),
    ...(listenOnlyRoomIds !== undefined && { listenOnlyRoomIds }),
    ...(coalesceMs !== undefined && { coalesceMs }),
    ...(actions !== undefined && { actions }),
  };
}
