import type { JsonObject, JsonValue } from "../json.ts";
import type { Findings, Path } from "./findings.ts";
import { isJsonList, isJsonObject, type JsonDraft } from "./json-value.ts";
import { BUILT_IN_PLATFORMS, KNOWN_KEYS } from "./schema.ts";

/** Eliza's name of a client setting → ours. */
const RENAMED: Readonly<Record<string, string>> = {
  allowedChannelIds: "allowedRoomIds",
  allowedGroupIds: "allowedRoomIds",
};

const IGNORED: Readonly<Record<string, string>> = {
  messageSimilarityThreshold: "whether to speak is decided by rules and the model, not by likeness of words",
  isPartOfTeam: "there are no teams",
  teamAgentIds: "there are no teams",
  teamLeaderId: "there are no teams",
  teamMemberInterestKeywords: "there are no teams",
  shouldOnlyJoinInAllowedGroups: "a list in allowedRoomIds is obeyed whenever it is there",
  autoPost: "nothing is posted unasked until it is switched on in the platform's own settings",
};

/** Moves `clients`, `clientConfig.*` and `settings.discord` and its like into `platforms`. */
export function translateClients(draft: JsonDraft, findings: Findings): void {
  const platforms: { [platform: string]: JsonDraft } = {};
  if (isJsonList(draft.clients)) {
    translateClientList(draft.clients, platforms, findings);
    delete draft.clients;
  } else if (Object.hasOwn(draft, "clients")) {
    findings.problem(
      ["clients"],
      "Expected a list of clients",
      'Write "platforms": { "discord": { "enabled": true } }.',
    );
    delete draft.clients;
  }
  if (isJsonObject(draft.clientConfig)) {
    for (const [client, config] of Object.entries(draft.clientConfig)) {
      translateConfig({ client, config, path: ["clientConfig", client] }, platforms, findings);
    }
    delete draft.clientConfig;
  }
  if (isJsonObject(draft.settings)) draft.settings = translateSettings(draft.settings, platforms, findings);
  mergeInto(draft, platforms);
}

function translateClientList(
  clients: readonly JsonValue[],
  platforms: { [platform: string]: JsonDraft },
  findings: Findings,
): void {
  for (const [position, client] of clients.entries()) {
    const path = ["clients", position];
    if (typeof client !== "string") {
      findings.notice(path, "A client without a name was ignored", "Write its name, or remove it.");
      continue;
    }
    const platform = platformNamed(client);
    if (platform !== undefined) {
      platforms[platform] = { ...platforms[platform], enabled: true };
      findings.notice(
        path,
        `Read as platforms.${platform}.enabled`,
        `Write "platforms": { "${platform}": { "enabled": true } }.`,
      );
    } else if (["direct", "rest", "api", "auto"].includes(client.toLowerCase())) {
      findings.notice(path, `The client "${client}" needs no mention: the terminal is always there`, "Remove it.");
    } else {
      findings.notice(path, `There is no client "${client}"; it was ignored`, "Remove it, or load a plugin for it.");
    }
  }
}

function platformNamed(client: string): string | undefined {
  const name = client.toLowerCase();
  return BUILT_IN_PLATFORMS.find((platform) => platform === name || (name === "x" && platform === "twitter"));
}

function translateSettings(
  settings: JsonObject,
  platforms: { [platform: string]: JsonDraft },
  findings: Findings,
): JsonObject {
  const rest: JsonDraft = { ...settings };
  for (const platform of BUILT_IN_PLATFORMS) {
    if (!Object.hasOwn(settings, platform) || !isJsonObject(settings[platform])) continue;
    translateConfig(
      { client: platform, config: settings[platform], path: ["settings", platform] },
      platforms,
      findings,
    );
    delete rest[platform];
  }
  return rest;
}

type ClientConfig = { readonly client: string; readonly config: JsonValue | undefined; readonly path: Path };

function translateConfig(
  { client, config, path }: ClientConfig,
  platforms: { [platform: string]: JsonDraft },
  findings: Findings,
): void {
  const platform = platformNamed(client);
  if (platform === undefined) {
    findings.notice(path, `There is no client "${client}"; its settings were ignored`, "Remove them.");
    return;
  }
  if (!isJsonObject(config)) {
    findings.problem(path, "Expected an object with the client's settings", `Write them under platforms.${platform}.`);
    return;
  }
  const kept: JsonDraft = { ...platforms[platform] };
  for (const [key, value] of Object.entries(config)) {
    const why = Object.hasOwn(IGNORED, key) ? IGNORED[key] : undefined;
    if (why !== undefined) findings.notice([...path, key], `Ignored: ${why}`, "Remove it.");
    else if (Object.hasOwn(RENAMED, key)) kept[RENAMED[key] ?? key] = value;
    else {
      kept[key] = value;
      if (KNOWN_KEYS.platform.includes(key)) continue;
      findings.notice([...path, key], "No built-in client is known to read this; it is kept", "Remove it if unsure.");
    }
  }
  platforms[platform] = kept;
  findings.notice(path, `Read as platforms.${platform}`, `Move the settings to "platforms": { "${platform}": … }.`);
}

function mergeInto(draft: JsonDraft, platforms: { readonly [platform: string]: JsonDraft }): void {
  if (Object.keys(platforms).length === 0) return;
  if (Object.hasOwn(draft, "platforms") && !isJsonObject(draft.platforms)) return;
  const merged: JsonDraft = isJsonObject(draft.platforms) ? { ...draft.platforms } : {};
  for (const [platform, settings] of Object.entries(platforms)) {
    const own = merged[platform];
    merged[platform] = isJsonObject(own) ? { ...settings, ...own } : (own ?? settings);
  }
  draft.platforms = merged;
}

/** Switches a platform on in a draft, unless the file itself says whether it is. */
export function enablePlatform(draft: JsonDraft, platform: string): void {
  mergeInto(draft, { [platform]: { enabled: true } });
}
