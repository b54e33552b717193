import type { JsonValue } from "../json.ts";
import { enablePlatform } from "./eliza-clients.ts";
import { providerNamed } from "./eliza-models.ts";
import type { Findings, Path } from "./findings.ts";
import { isJsonList, isJsonObject, type JsonDraft, ownValue } from "./json-value.ts";

/** What an Eliza plugin does that is part of the house. */
const ALWAYS_THERE: Readonly<Record<string, string>> = {
  bootstrap: "the basic actions and providers are always there",
  node: "it carries services for Eliza's own runtime",
  sql: "what is remembered is kept in the built-in store",
  "adapter-sqlite": "what is remembered is kept in the built-in store",
  "adapter-postgres": "what is remembered is kept in the built-in store",
  knowledge: "knowledge is built in",
  "local-embedding": "recall works without an embedding model; name one in settings.models.embedding",
};

const PLATFORMS: Readonly<Record<string, string>> = {
  discord: "discord",
  telegram: "telegram",
  twitter: "twitter",
  x: "twitter",
};

const PROVIDERS = ["openai", "anthropic", "ollama", "groq", "openrouter", "google-genai", "local-ai", "venice", "xai"];

/** Replaces Eliza's plugins by what they stand for here; the names of other plugins stay. */
export function translatePlugins(draft: JsonDraft, findings: Findings): void {
  if (!isJsonList(draft.plugins)) return;
  const kept: JsonValue[] = [];
  for (const [position, plugin] of draft.plugins.entries()) {
    const name = isJsonObject(plugin) ? ownValue(plugin, "name") : plugin;
    const path = ["plugins", position];
    if (typeof name !== "string") {
      findings.notice(path, "A plugin without a name was ignored", "Write the plugin's name as a text.");
      continue;
    }
    if (isJsonObject(plugin)) {
      findings.notice(path, `Only the name "${name}" was read; code cannot stand in a file`, `Write "${name}".`);
    }
    const elizaName = /^@eliza(?:os)?(?:-plugins)?\/(?:plugin-|client-)?(.+)$/.exec(name)?.[1];
    if (elizaName === undefined) kept.push(name);
    else replacePlugin({ name, elizaName, path }, draft, findings);
  }
  draft.plugins = kept;
}

type ElizaPlugin = { readonly name: string; readonly elizaName: string; readonly path: Path };

function replacePlugin({ name, elizaName, path }: ElizaPlugin, draft: JsonDraft, findings: Findings): void {
  const platform = Object.hasOwn(PLATFORMS, elizaName) ? PLATFORMS[elizaName] : undefined;
  const reason = Object.hasOwn(ALWAYS_THERE, elizaName) ? ALWAYS_THERE[elizaName] : undefined;
  if (platform !== undefined) {
    enablePlatform(draft, platform);
    findings.notice(path, `${name} was read as platforms.${platform}.enabled`, "Remove it; the client is built in.");
  } else if (reason !== undefined) {
    findings.notice(path, `${name} is not needed: ${reason}`, "Remove it.");
  } else if (PROVIDERS.includes(elizaName)) {
    chooseProvider({ name, elizaName, path }, draft, findings);
  } else {
    findings.notice(path, `${name} was ignored: nothing here corresponds to it`, "Write a plugin for what it does.");
  }
}

function chooseProvider({ name, elizaName, path }: ElizaPlugin, draft: JsonDraft, findings: Findings): void {
  const provider = providerNamed(elizaName);
  const settings = draft.settings ?? {};
  if (!isJsonObject(settings)) return;
  if (Object.hasOwn(settings, "modelProvider")) {
    findings.notice(path, `${name} was ignored: settings.modelProvider is already chosen`, "Remove it.");
    return;
  }
  draft.settings = { ...settings, modelProvider: provider };
  findings.notice(
    path,
    `${name} was read as settings.modelProvider "${provider}"`,
    provider === "openai-compatible"
      ? "Set OPENAI_BASE_URL and settings.model."
      : "Remove it; the provider is built in.",
  );
}
