import type { JsonValue } from "../json.ts";
import type { Findings, Path } from "./findings.ts";
import { isJsonObject, type JsonDraft, ownValue } from "./json-value.ts";

const ANTHROPIC = ["anthropic", "claude_vertex"];

/** Settings of Eliza that are kept for plugins, although nothing built in reads them. */
const UNREAD_SETTINGS = ["voice", "imageSettings", "intiface", "chains", "transcription", "avatar", "buttplug"];

const IGNORED: Readonly<Record<string, readonly [why: string, remedy: string]>> = {
  imageModelProvider: ["images are made by a plugin", "Remove it."],
  imageVisionModelProvider: ["the model provider is chosen once, for everything", "Remove it."],
  modelEndpointOverride: ["an address belongs to the machine, not to the character", "Set OPENAI_BASE_URL."],
};

/** Moves `modelProvider`, `embeddingModel` and `settings.modelConfig` to the settings of our form. */
export function translateModels(draft: JsonDraft, findings: Findings): void {
  const settings: JsonDraft = isJsonObject(draft.settings) ? { ...draft.settings } : {};
  if (Object.hasOwn(draft, "settings") && !isJsonObject(draft.settings)) return;
  translateProvider(draft, settings, findings);
  for (const [key, [why, remedy]] of Object.entries(IGNORED)) {
    if (!Object.hasOwn(draft, key)) continue;
    delete draft[key];
    findings.notice([key], `"${key}" was ignored: ${why}`, remedy);
  }
  translateEmbedding(draft, [], settings, findings);
  translateEmbedding(settings, ["settings"], settings, findings);
  translateModelConfig(settings, findings);
  for (const key of UNREAD_SETTINGS) {
    if (!Object.hasOwn(settings, key)) continue;
    findings.notice(["settings", key], "Nothing built in reads this; it is kept for plugins", "Remove it if unsure.");
  }
  if (Object.hasOwn(settings, "ragKnowledge")) {
    delete settings.ragKnowledge;
    findings.notice(
      ["settings", "ragKnowledge"],
      "Ignored: knowledge is found in one way, there is nothing to switch",
      "Remove it.",
    );
  }
  if (Object.keys(settings).length > 0) draft.settings = settings;
}

function translateProvider(draft: JsonDraft, settings: JsonDraft, findings: Findings): void {
  if (!Object.hasOwn(draft, "modelProvider")) return;
  const written = draft.modelProvider ?? "";
  delete draft.modelProvider;
  const path = ["modelProvider"];
  if (typeof written !== "string") {
    findings.problem(path, "Expected the name of a model provider", 'Write "openai" or "anthropic", or remove it.');
    return;
  }
  if (written.trim() === "" || Object.hasOwn(settings, "modelProvider")) {
    findings.notice(path, "Ignored: it is empty, or settings.modelProvider says it", "Remove it.");
    return;
  }
  settings.modelProvider = providerNamed(written);
  const remedy =
    settings.modelProvider === "openai-compatible"
      ? `Set OPENAI_BASE_URL to the address of ${JSON.stringify(written)}, and a model in settings.model.`
      : `Write "settings": { "modelProvider": "${settings.modelProvider}" }.`;
  findings.notice(path, `Read as settings.modelProvider "${settings.modelProvider}"`, remedy);
}

/** The built-in model provider that speaks what an Eliza provider speaks. */
export function providerNamed(elizaProvider: string): "openai" | "anthropic" | "openai-compatible" {
  const name = elizaProvider.trim().toLowerCase();
  if (name === "openai") return "openai";
  return ANTHROPIC.includes(name) ? "anthropic" : "openai-compatible";
}

function translateEmbedding(from: JsonDraft, path: Path, settings: JsonDraft, findings: Findings): void {
  if (!Object.hasOwn(from, "embeddingModel")) return;
  const embedding = from.embeddingModel ?? "";
  delete from.embeddingModel;
  addModel(settings, "embedding", embedding);
  findings.notice(
    [...path, "embeddingModel"],
    "Read as settings.models.embedding",
    'Write "settings": { "models": { "embedding": … } }.',
  );
}

function addModel(settings: JsonDraft, work: string, model: JsonValue): void {
  const models = settings.models ?? {};
  if (isJsonObject(models)) settings.models = { [work]: model, ...models };
}

function translateModelConfig(settings: JsonDraft, findings: Findings): void {
  const config = settings.modelConfig;
  if (!isJsonObject(config)) return;
  delete settings.modelConfig;
  const moved: readonly (readonly [from: string, to: string])[] = [
    ["temperature", "temperature"],
    ["maxOutputTokens", "maxTokens"],
  ];
  for (const [from, to] of moved) {
    const value = ownValue(config, from);
    if (value === undefined) continue;
    if (!Object.hasOwn(settings, to)) settings[to] = value;
    findings.notice(["settings", "modelConfig", from], `Read as settings.${to}`, `Write "settings": { "${to}": … }.`);
  }
  for (const key of Object.keys(config)) {
    if (moved.some(([from]) => from === key)) continue;
    findings.notice(["settings", "modelConfig", key], "Ignored: the model's own value is used", "Remove it.");
  }
}
