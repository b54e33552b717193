import type { JsonObject, JsonValue } from "../json.ts";
import { translateClients } from "./eliza-clients.ts";
import { translateExamples } from "./eliza-examples.ts";
import { translateModels } from "./eliza-models.ts";
import { translatePlugins } from "./eliza-plugins.ts";
import type { Findings } from "./findings.ts";
import { isJsonList, isJsonObject, type JsonDraft, ownValue } from "./json-value.ts";

/** Whose form a character file has: our own, or one of the two that Eliza files come in. */
export type CharacterForm = "troupe" | "eliza-v0" | "eliza-v1";

const V0_KEYS = ["clients", "clientConfig", "modelProvider", "imageModelProvider", "twitterProfile", "people", "nft"];
const V1_KEYS = ["advancedMemory", "advancedPlanning"];
const V1_SETTINGS = ["discord", "telegram", "twitter", "ragKnowledge", "avatar"];

/** Keys of Eliza files that mean nothing here, with the reason and what to do instead. */
const WITHOUT_COUNTERPART: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  people: ["nothing reads it; who is in a room is known from the room", "Remove it."],
  nft: ["it belongs to a collectible, not to a conversation", "Remove it."],
  extends: ["files are not merged", "Copy what you need from the other file into this one."],
  postProcessors: ["answers are decoded by the response format", "Remove it, or write a plugin."],
  twitterSpaces: ["there are no voice rooms", "Remove it."],
  instagramProfile: ["there is no client for it", "Remove it."],
  farcasterProfile: ["there is no client for it", "Remove it."],
  simsaiProfile: ["there is no client for it", "Remove it."],
  slackProfile: ["there is no client for it", "Remove it."],
  email: ["no client uses it", "Remove it."],
  source: ["nothing reads it", "Remove it."],
  advancedMemory: ["memory is whole for every character", "Remove it."],
  advancedPlanning: [
    'the way of working is settings.mode: "reply" or "steps"',
    'Write "settings": { "mode": "steps" }.',
  ],
};

/** Tells by its keys which form a file has; a file with marks of several counts as the oldest. */
export function detectForm(file: JsonObject): CharacterForm {
  const messages = exampleMessages(ownValue(file, "messageExamples"));
  const isV0 =
    V0_KEYS.some((key) => Object.hasOwn(file, key)) ||
    messages.some((message) => Object.hasOwn(message, "user") && !Object.hasOwn(message, "name"));
  if (isV0) return "eliza-v0";
  const settings = ownValue(file, "settings");
  const templates = ownValue(file, "templates");
  const isV1 =
    V1_KEYS.some((key) => Object.hasOwn(file, key)) ||
    messages.some((message) => /^\{\{name\d+\}\}$/.test(String(ownValue(message, "name")))) ||
    pluginNames(ownValue(file, "plugins")).some((name) => /^@eliza(?:os)?(?:-plugins)?\//.test(name)) ||
    (isJsonObject(settings) && V1_SETTINGS.some((key) => Object.hasOwn(settings, key))) ||
    (isJsonObject(templates) && Object.keys(templates).some((name) => /.Template$/.test(name)));
  return isV1 ? "eliza-v1" : "troupe";
}

function pluginNames(plugins: JsonValue | undefined): readonly string[] {
  return isJsonList(plugins) ? plugins.filter((plugin) => typeof plugin === "string") : [];
}

function exampleMessages(examples: JsonValue | undefined): readonly JsonObject[] {
  const groups = isJsonList(examples) ? examples : [];
  const messages = groups.flatMap((group) => {
    if (isJsonObject(group)) return isJsonList(ownValue(group, "examples")) ? ownValue(group, "examples") : group;
    return group;
  });
  return messages.filter((message) => isJsonObject(message));
}

/**
 * Rewrites an Eliza file in our own form. What is said differently is moved, what has no counterpart is left out, and
 * each of both is noticed. Values of a wrong kind stay where they are, for the schema to refuse.
 *
 * @see https://github.com/elizaOS/eliza (Character in v0.1–v0.25; characterSchema in v1)
 */
export function translateEliza(file: JsonObject, form: CharacterForm, findings: Findings): JsonObject {
  const draft: JsonDraft = { ...file };
  translateClients(draft, findings);
  translateModels(draft, findings);
  translatePlugins(draft, findings);
  translateExamples(draft, findings);
  translateTemplates(draft, findings);
  translateProfile(draft, findings);
  translateKnowledge(draft, form, findings);
  for (const [key, [why, remedy]] of Object.entries(WITHOUT_COUNTERPART)) {
    if (!Object.hasOwn(draft, key)) continue;
    delete draft[key];
    findings.notice([key], `"${key}" was ignored: ${why}`, remedy);
  }
  return draft;
}

function translateTemplates(draft: JsonDraft, findings: Findings): void {
  const templates = draft.templates;
  if (!isJsonObject(templates)) return;
  const renamed: JsonDraft = {};
  for (const [name, template] of Object.entries(templates)) {
    const plainName = name.replace(/(.)Template$/, "$1");
    if (plainName !== name && Object.hasOwn(templates, plainName)) {
      findings.notice(["templates", name], `Ignored, as "${plainName}" stands there too`, "Keep one of the two.");
      continue;
    }
    renamed[plainName] = template;
    if (plainName === name) continue;
    findings.notice(["templates", name], `Read as the template "${plainName}"`, `Rename it to "${plainName}".`);
  }
  draft.templates = renamed;
}

function translateProfile(draft: JsonDraft, findings: Findings): void {
  const profile = draft.twitterProfile;
  if (!isJsonObject(profile)) return;
  delete draft.twitterProfile;
  const username = ownValue(profile, "username");
  const isTaken = Object.hasOwn(draft, "username");
  if (username !== undefined && !isTaken) draft.username = username;
  findings.notice(
    ["twitterProfile"],
    username !== undefined && !isTaken
      ? "Its username was read as the character's username; the rest was ignored, as the account itself says it"
      : "Ignored: the account itself says it",
    'Write "username" at the top level and remove the profile.',
  );
}

function translateKnowledge(draft: JsonDraft, form: CharacterForm, findings: Findings): void {
  const knowledge = draft.knowledge;
  if (!isJsonList(knowledge)) return;
  let pathCount = 0;
  draft.knowledge = knowledge.map((entry) => {
    if (form === "eliza-v1" && typeof entry === "string" && /^[^\s]+\.[a-z0-9]{1,5}$/i.test(entry)) {
      pathCount += 1;
      return /^https?:\/\//i.test(entry) ? { url: entry } : { path: entry };
    }
    const item = isJsonObject(entry) ? ownValue(entry, "item") : undefined;
    if (!isJsonObject(item)) return entry;
    const kind = ownValue(item, "case");
    const value = ownValue(item, "value");
    if (kind === "path" && value !== undefined) return { path: value };
    return kind === "directory" && isJsonObject(value) ? value : entry;
  });
  if (pathCount === 0) return;
  findings.notice(
    ["knowledge"],
    pathCount === 1 ? "One entry was read as a file's path" : `${pathCount} entries were read as paths of files`,
    'Write { "path": "…" } for a file; a plain text is knowledge itself.',
  );
}
