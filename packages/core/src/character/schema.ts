import { z } from "zod";
import { isTimeZone, readQuietHours } from "../decide/quiet-hours.ts";
import type { JsonValue } from "../json.ts";
import { MODEL_KEYS, modelsSchema } from "./model-settings.ts";
import { numeric, wholeNumber } from "./numeric.ts";

/** The platforms whose clients come with the house. */
export const BUILT_IN_PLATFORMS = ["discord", "telegram", "twitter", "terminal"] as const;

const LINE_LIMIT = 20_000;
const WORD_LIMIT = 500;
const NAME_LIMIT = 100;
const HOUR_MS = 3_600_000;

const line = z.string().max(LINE_LIMIT);
const word = z.string().max(WORD_LIMIT);
const lines = z.union([line, z.array(line)]);
const words = z.union([word, z.array(word)]);
const anyJson = z.custom<JsonValue>(() => true);

/** A switch; `"true"` and `"false"` count as what they say. */
const flag = z.preprocess((value) => {
  if (typeof value !== "string") return value;
  const said = value.trim().toLowerCase();
  if (said === "true") return true;
  return said === "false" ? false : value;
}, z.boolean());

const platformId = z.union([word, z.number().transform(String)]);
const platformIds = z.union([platformId.transform((id) => [id]), z.array(platformId)]);

const actionNames = z.union([word.transform((name) => [name]), z.array(word)]);
const actionChoice = {
  include: actionNames.exactOptional().describe("Nothing but these: names or tags of actions."),
  exclude: actionNames.exactOptional().describe("Not these, whatever include says."),
};
const actionChoiceSchema = z.object(actionChoice);
const actionRulesSchema = z.object({
  ...actionChoice,
  rooms: z.record(z.string(), actionChoiceSchema).exactOptional().describe("For single rooms, by the platform's ids."),
});

const listeningRules = {
  shouldRespondOnlyToMentions: flag.exactOptional().describe("In groups, answer only when addressed."),
  shouldIgnoreBotMessages: flag.exactOptional().describe("Never answer other bots."),
  shouldIgnoreDirectMessages: flag.exactOptional().describe("Answer in groups only."),
  groupPolicy: z
    .enum(["mention", "all", "off"])
    .exactOptional()
    .describe("In groups: answer when addressed, everybody, or nobody. Without it the character decides."),
  allowedRoomIds: platformIds.exactOptional().describe("The only rooms to answer in; the platform's ids."),
  allowedEntityIds: platformIds.exactOptional().describe("The only people to answer; the platform's ids."),
  allowedWorldIds: platformIds.exactOptional().describe("The only servers to answer in; the platform's ids."),
  deniedRoomIds: platformIds.exactOptional().describe("Rooms it never answers in."),
  deniedEntityIds: platformIds.exactOptional().describe("People it never answers."),
  deniedWorldIds: platformIds.exactOptional().describe("Servers it never answers in."),
  listenOnlyRoomIds: platformIds.exactOptional().describe("Rooms it hears and, commands aside, says nothing in."),
  quietHours: word
    .refine((text) => readQuietHours(text) !== null, "must be of the form 22:00-07:00")
    .exactOptional()
    .describe("When it keeps silent, e.g. 22:00-07:00."),
  timeZone: word
    .refine(isTimeZone, "is no time zone; use a name such as Europe/Berlin")
    .exactOptional()
    .describe("By whose clocks; UTC if absent."),
  maxTalkShare: numeric(z.number().min(0).max(1))
    .exactOptional()
    .describe("Share of a group's newest messages that may be its own before it joins in unasked."),
  actions: actionRulesSchema.exactOptional().describe("Which actions it may use."),
  coalesceMs: wholeNumber(0, 60_000).exactOptional().describe("Wait so long for a person's next message."),
};

const recallSchema = z
  .object({
    scope: z
      .enum(["room", "person", "world"])
      .exactOptional()
      .describe("How far it looks back: this room, this person, this server."),
    limit: wholeNumber(0, 50).exactOptional().describe("Earlier messages brought up at most; 0 turns it off."),
    timeoutMs: wholeNumber(100, 30_000).exactOptional().describe("How long an answer waits for a message's meaning."),
  })
  .describe("What it remembers from before the recent messages.");

const attachmentsSchema = z
  .object({
    enabled: flag.exactOptional(),
    limit: wholeNumber(0, 20).exactOptional().describe("Files of one message looked at, at most."),
    maxSizeBytes: wholeNumber(1, 1_000_000_000).exactOptional().describe("Larger files are named, not read."),
    timeoutMs: wholeNumber(100, 600_000).exactOptional().describe("How long an answer waits for them."),
  })
  .describe("Looking at images, hearing voice notes and reading documents that come with messages.");

const knownSchema = z
  .object({
    limit: wholeNumber(0, 50).exactOptional().describe("Parts of documents brought up at most; 0 turns it off."),
    tokens: wholeNumber(50, 100_000).exactOptional().describe("All of them together, in tokens at most."),
  })
  .describe("What it is shown of the documents it knows.");

const episodesSchema = z
  .object({
    keep: z.enum(["steps", "always", "never"]).exactOptional().describe("Of which runs it keeps what happened."),
    limit: wholeNumber(0, 20).exactOptional().describe("Earlier episodes shown at most; 0: none."),
    most: wholeNumber(1, 10_000).exactOptional().describe("Kept of one room at most; the oldest go first."),
    maxAgeDays: wholeNumber(1, 36_500).exactOptional().describe("Older ones go."),
    summarise: flag.exactOptional().describe("true: the small model writes them."),
  })
  .describe("What it keeps of what happened between a message and its outcome.");

const platformSchema = z.object({ enabled: flag.exactOptional(), ...listeningRules }).catchall(anyJson);

const settingsSchema = z
  .object({
    modelProvider: word.exactOptional().describe("openai, anthropic or openai-compatible."),
    model: word.exactOptional().describe("One model for everything."),
    models: modelsSchema.exactOptional(),
    temperature: numeric(z.number().min(0).max(2)).exactOptional(),
    maxTokens: wholeNumber(1, 1_000_000).exactOptional(),
    mode: z.enum(["reply", "steps"]).exactOptional().describe("One answer a message, or a loop of steps."),
    responseFormat: z.enum(["json", "xml", "tools", "text"]).exactOptional(),
    maxSteps: wholeNumber(1, 100).exactOptional(),
    runTimeoutMs: wholeNumber(1_000, 24 * HOUR_MS).exactOptional(),
    historyMessages: wholeNumber(0, 1_000).exactOptional(),
    historyTokens: wholeNumber(100, 1_000_000).exactOptional().describe("Recent messages shown, in tokens at most."),
    recall: recallSchema.exactOptional(),
    facts: flag.exactOptional().describe("false: it notes nothing about people."),
    episodes: episodesSchema.exactOptional(),
    joinMessage: line.exactOptional().describe("Said once in a group into which it was taken; without it, nothing."),
    worldSettings: z
      .union([flag, actionNames])
      .exactOptional()
      .describe("What owners and admins of servers may set there; false for nothing."),
    summaries: flag.exactOptional().describe("false: long conversations are not summed up."),
    attachments: attachmentsSchema.exactOptional(),
    knowledge: knownSchema.exactOptional(),
    actionPlanning: flag.exactOptional(),
    ...listeningRules,
    secrets: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
  })
  .catchall(anyJson);

const contentSchema = z.object({
  text: z.string().max(LINE_LIMIT),
  actions: z.array(word).exactOptional(),
});

const knowledgeSchema = z.union([
  z.string().describe("Something the character knows, as it stands."),
  z.object({ path: line, shared: flag.exactOptional() }).describe("A file, relative to the character file."),
  z.object({ directory: line, shared: flag.exactOptional() }).describe("All files in a directory."),
  z.object({ url: z.url({ protocol: /^https?$/ }), shared: flag.exactOptional() }).describe("A web page."),
]);

/** A character file in our own form, as it stands in the file. */
export const characterSchema = z.object({
  $schema: z.string().exactOptional(),
  id: z.guid().exactOptional().describe("A fixed agent id; without one it is derived from the name."),
  name: z.string().max(NAME_LIMIT).describe("What the character is called, and answers to."),
  username: z.string().max(NAME_LIMIT).exactOptional().describe("The handle on platforms."),
  system: z.string().exactOptional().describe("Instructions before everything else in the prompt."),
  bio: lines.exactOptional().describe("Who the character is."),
  lore: lines.exactOptional().describe("What happened to it, what it believes."),
  style: z
    .object({ all: lines, chat: lines, post: lines })
    .partial()
    .exactOptional()
    .describe("How it writes: everywhere, in conversations, in posts."),
  topics: words.exactOptional().describe("What it likes to talk about."),
  adjectives: words.exactOptional().describe("Words that describe it."),
  messageExamples: z
    .array(z.array(z.object({ name: line, content: contentSchema })))
    .exactOptional()
    .describe("Short conversations that show how it speaks."),
  postExamples: lines.exactOptional().describe("Posts in its voice."),
  knowledge: z.array(knowledgeSchema).exactOptional().describe("What it knows: texts, files, directories, pages."),
  templates: z.record(z.string(), z.string()).exactOptional().describe("Prompt templates by name."),
  settings: settingsSchema.exactOptional(),
  secrets: settingsSchema.shape.secrets.describe("Keys and tokens. Better kept in the environment."),
  plugins: z.array(word).exactOptional().describe("Names of plugins to load."),
  platforms: z
    .object(Object.fromEntries(BUILT_IN_PLATFORMS.map((platform) => [platform, platformSchema.exactOptional()])))
    .catchall(platformSchema)
    .exactOptional()
    .describe("Settings for each platform."),
});

/** What `characterSchema` makes of a valid file, before it becomes a `Character`. */
export type CharacterFile = z.output<typeof characterSchema>;

/** The keys a character file may have, and those of its parts. */
export const KNOWN_KEYS = {
  character: Object.keys(characterSchema.shape),
  style: ["all", "chat", "post"],
  settings: Object.keys(settingsSchema.shape),
  models: Object.keys(modelsSchema.shape),
  model: MODEL_KEYS,
  actions: Object.keys(actionRulesSchema.shape),
  actionChoice: Object.keys(actionChoiceSchema.shape),
  platform: Object.keys(platformSchema.shape),
  message: ["name", "content"],
  content: Object.keys(contentSchema.shape),
  knowledge: ["path", "directory", "url", "shared"],
} as const;

/** The form of a character file as JSON Schema (draft 2020-12), so that an editor completes and checks it. */
export function characterJsonSchema(): JsonValue {
  const schema = z.toJSONSchema(characterSchema, { io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify({ title: "Troupe character", ...schema }));
}
