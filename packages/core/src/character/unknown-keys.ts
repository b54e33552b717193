import type { JsonObject, JsonValue } from "../json.ts";
import type { Findings, Path } from "./findings.ts";
import { isJsonList, isJsonObject, ownValue } from "./json-value.ts";
import { nearestKey } from "./nearest-key.ts";
import { BUILT_IN_PLATFORMS, KNOWN_KEYS } from "./schema.ts";

/** So many keys of one object are compared with the known ones, as it takes time. */
const COMPARED_KEYS = 500;

/** What people call things elsewhere → what they are called here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  description: "bio",
  persona: "bio",
  personality: "bio",
  background: "lore",
  backstory: "lore",
  prompt: "system",
  systemPrompt: "system",
  instructions: "system",
  examples: "messageExamples",
  dialogues: "messageExamples",
  posts: "postExamples",
  interests: "topics",
  traits: "adjectives",
  documents: "knowledge",
  files: "knowledge",
  env: "secrets",
};

/**
 * Notices every key nothing reads. Where keys are free (settings, platforms) only what looks like a slip of a known
 * key is noticed, as the rest may be meant for a plugin.
 */
export function reportUnknownKeys(file: JsonObject, findings: Findings): void {
  reportTopLevel(file, findings);
  reportClosed(ownValue(file, "style"), ["style"], KNOWN_KEYS.style, findings);
  const settings = ownValue(file, "settings");
  reportSlips(settings, ["settings"], KNOWN_KEYS.settings, findings);
  if (isJsonObject(settings)) {
    reportModels(ownValue(settings, "models"), findings);
    reportActions(settings, ["settings"], findings);
  }
  reportPlatforms(ownValue(file, "platforms"), findings);
  eachEntry(ownValue(file, "knowledge"), ["knowledge"], (entry, path) => {
    reportClosed(entry, path, KNOWN_KEYS.knowledge, findings);
  });
  eachEntry(ownValue(file, "messageExamples"), ["messageExamples"], (conversation, path) => {
    eachEntry(conversation, path, (message, place) => reportMessage(message, place, findings));
  });
}

function reportTopLevel(file: JsonObject, findings: Findings): void {
  const unknown = Object.keys(file).filter((key) => !KNOWN_KEYS.character.includes(key));
  for (const [position, key] of unknown.entries()) {
    const meant = position < COMPARED_KEYS ? suggestionFor(key) : undefined;
    const remedy =
      meant === undefined ? `Remove it, or put it under settings if a plugin reads it.` : `Did you mean "${meant}"?`;
    findings.notice([key], "Nothing reads this key; it was ignored", remedy);
  }
}

function suggestionFor(key: string): string | undefined {
  if (Object.hasOwn(OTHER_WORDS, key)) return OTHER_WORDS[key];
  const near = nearestKey(key, KNOWN_KEYS.character);
  if (near !== undefined) return near;
  const setting = nearestKey(key, KNOWN_KEYS.settings);
  if (setting !== undefined) return `settings.${setting}`;
  const platform = nearestKey(key, BUILT_IN_PLATFORMS);
  return platform === undefined ? undefined : `platforms.${platform}`;
}

function reportMessage(message: JsonValue, path: Path, findings: Findings): void {
  reportClosed(message, path, KNOWN_KEYS.message, findings);
  if (isJsonObject(message)) {
    reportClosed(ownValue(message, "content"), [...path, "content"], KNOWN_KEYS.content, findings);
  }
}

function reportPlatforms(platforms: JsonValue | undefined, findings: Findings): void {
  if (!isJsonObject(platforms)) return;
  for (const [platform, settings] of Object.entries(platforms)) {
    const isBuiltIn = BUILT_IN_PLATFORMS.some((name) => name === platform);
    const meant = isBuiltIn
      ? undefined
      : platform.toLowerCase() === "x"
        ? "twitter"
        : nearestKey(platform, BUILT_IN_PLATFORMS);
    const remedy = `Write one of ${BUILT_IN_PLATFORMS.join(", ")}, or load a plugin that brings it.`;
    if (!isBuiltIn) {
      findings.notice(
        ["platforms", platform],
        "No built-in client has this name",
        meant === undefined ? remedy : `Did you mean "${meant}"?`,
      );
    }
    reportSlips(settings, ["platforms", platform], KNOWN_KEYS.platform, findings);
    if (isJsonObject(settings)) reportActions(settings, ["platforms", platform], findings);
  }
}

function reportModels(models: JsonValue | undefined, findings: Findings): void {
  reportClosed(models, ["settings", "models"], KNOWN_KEYS.models, findings);
  if (!isJsonObject(models)) return;
  for (const kind of KNOWN_KEYS.models) {
    reportClosed(ownValue(models, kind), ["settings", "models", kind], KNOWN_KEYS.model, findings);
  }
}

function reportActions(settings: JsonObject, path: Path, findings: Findings): void {
  const actions = ownValue(settings, "actions");
  reportClosed(actions, [...path, "actions"], KNOWN_KEYS.actions, findings);
  const rooms = isJsonObject(actions) ? ownValue(actions, "rooms") : undefined;
  if (!isJsonObject(rooms)) return;
  for (const [room, choice] of Object.entries(rooms)) {
    reportClosed(choice, [...path, "actions", "rooms", room], KNOWN_KEYS.actionChoice, findings);
  }
}

function reportClosed(object: JsonValue | undefined, path: Path, known: readonly string[], findings: Findings): void {
  if (!isJsonObject(object)) return;
  const unknown = Object.keys(object).filter((key) => !known.includes(key));
  for (const [position, key] of unknown.entries()) {
    const near = position < COMPARED_KEYS ? nearestKey(key, known) : undefined;
    const remedy = near === undefined ? `Remove it; the keys here are ${known.join(", ")}.` : `Did you mean "${near}"?`;
    findings.notice([...path, key], "Nothing reads this key; it was ignored", remedy);
  }
}

function reportSlips(object: JsonValue | undefined, path: Path, known: readonly string[], findings: Findings): void {
  if (!isJsonObject(object)) return;
  for (const key of Object.keys(object).slice(0, COMPARED_KEYS)) {
    const isVariable = /^[A-Z][A-Z0-9_]*$/.test(key);
    const near = known.includes(key) || isVariable ? undefined : nearestKey(key, known);
    if (near === undefined) continue;
    findings.notice(
      [...path, key],
      "The engine knows no such setting; it is kept for plugins",
      `Did you mean "${near}"?`,
    );
  }
}

function eachEntry(list: JsonValue | undefined, path: Path, visit: (entry: JsonValue, path: Path) => void): void {
  if (!isJsonList(list)) return;
  for (const [position, entry] of list.entries()) visit(entry, [...path, position]);
}
