import type { JsonObject } from "../json.ts";
import type { Character, CharacterSettings, KnowledgeSource } from "./character.ts";
import { cleanJson, withoutControlCharacters } from "./clean-json.ts";
import { type CharacterForm, detectForm, translateEliza } from "./eliza.ts";
import { createFindings, type Findings, type Notice, type Path, type Problem } from "./findings.ts";
import { isJsonObject, kindOf } from "./json-value.ts";
import { resolveMessageExamples } from "./message-examples.ts";
import { toModels } from "./model-settings.ts";
import { nameAgent } from "./placeholders.ts";
import { type CharacterFile, characterSchema } from "./schema.ts";
import { reportIssues } from "./schema-problems.ts";
import { reportUnknownKeys } from "./unknown-keys.ts";

/** What came of reading a character: it and what should be known about it, or everything that is wrong with it. */
export type CharacterReading =
  | {
      readonly ok: true;
      readonly character: Character;
      readonly form: CharacterForm;
      readonly notices: readonly Notice[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly notices: readonly Notice[] };

/**
 * Reads a character from a value that came out of JSON, in our own form or in either of Eliza's, and makes it ready for
 * use. Never throws; all problems are reported at once. `source` names the file in every finding.
 */
export function readCharacter(json: unknown, options: { readonly source: string }): CharacterReading {
  return readInto(json, createFindings(options.source));
}

/** As `readCharacter`, adding to what was already found about the file. */
export function readInto(json: unknown, findings: Findings): CharacterReading {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    findings.problem([], `A character is one object, found ${kindOf(json)}`, 'Write { "name": "…", "bio": "…" }.');
    return refused(findings);
  }
  if ("name" in json) checkName(json.name, findings);
  const cleaned = cleanJson(json, findings);
  if (!isJsonObject(cleaned)) return refused(findings);
  const form = detectForm(cleaned);
  const file = translateEliza(cleaned, form, findings);
  const parsed = characterSchema.safeParse(file);
  if (!parsed.success) reportIssues(parsed.error.issues, file, findings);
  reportUnknownKeys(file, findings);
  if (!parsed.success || findings.problems.length > 0) return refused(findings);
  const character = toCharacter(parsed.data, file, findings);
  return { ok: true, character, form, notices: findings.notices };
}

function refused(findings: Findings): CharacterReading {
  return { ok: false, problems: findings.problems, notices: findings.notices };
}

/** A name is shown everywhere and compared with what people write, so it is refused rather than mended. */
function checkName(name: unknown, findings: Findings): void {
  if (typeof name !== "string") return;
  const visible = name.replace(/[\s\p{Cf}]/gu, "");
  if (withoutControlCharacters(name) !== name || /[\n\t\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    findings.problem(
      ["name"],
      "The name holds control characters",
      "Write the name in visible characters, on one line.",
    );
  } else if (!name.isWellFormed()) {
    findings.problem(["name"], "The name holds half a character (a lone surrogate)", "Write the whole character.");
  } else if (visible === "") {
    findings.problem(["name"], "The name is empty", "Give the character a name.");
  } else if (/[{}]/.test(name)) {
    findings.problem(["name"], "The name holds braces, which mark placeholders", "Write the name without { and }.");
  }
}

function toCharacter(file: CharacterFile, source: JsonObject, findings: Findings): Character {
  const name = file.name.trim();
  const list = (value: string | readonly string[] | undefined, ...path: Path): readonly string[] => {
    return toLines(value, path, findings).map((line) => nameAgent(line, name));
  };
  const { id, system } = file;
  const username = toUsername(file.username);
  const character: Character = {
    name,
    ...(id !== undefined && { id: id.toLowerCase() }),
    ...(username !== undefined && { username }),
    ...(system !== undefined && system.trim() !== "" && { system: nameAgent(system, name).trim() }),
    bio: list(file.bio, "bio"),
    lore: list(file.lore, "lore"),
    style: {
      all: list(file.style?.all, "style", "all"),
      chat: list(file.style?.chat, "style", "chat"),
      post: list(file.style?.post, "style", "post"),
    },
    topics: list(file.topics, "topics"),
    adjectives: list(file.adjectives, "adjectives"),
    messageExamples: resolveMessageExamples(file.messageExamples ?? [], name, findings),
    postExamples: list(file.postExamples, "postExamples"),
    knowledge: (file.knowledge ?? []).map(toKnowledgeSource),
    templates: file.templates ?? {},
    settings: toSettings(file.settings ?? {}),
    secrets: { ...toSecrets(file.settings?.secrets), ...toSecrets(file.secrets) },
    plugins: [...new Set(toLines(file.plugins, ["plugins"], findings))],
    platforms: file.platforms ?? {},
  };
  if (character.bio.length === 0 && character.system === undefined && !("templates" in source)) {
    findings.notice([], `Nothing says who ${name} is`, 'Write a "bio" of a few lines.');
  }
  return character;
}

function toLines(value: string | readonly string[] | undefined, path: Path, findings: Findings): readonly string[] {
  if (value === undefined || value === "") return [];
  const lines = typeof value === "string" ? [value] : value;
  return lines.flatMap((line, position) => {
    const trimmed = line.trim();
    if (trimmed !== "") return [trimmed];
    findings.notice([...path, position], "An empty entry was left out", "Remove it.");
    return [];
  });
}

function toUsername(written: string | undefined): string | undefined {
  const username = written?.trim().replace(/^@/, "");
  return username === "" ? undefined : username;
}

function toKnowledgeSource(entry: NonNullable<CharacterFile["knowledge"]>[number]): KnowledgeSource {
  if (typeof entry === "string") return { kind: "text", text: entry };
  const shared = entry.shared ?? false;
  if ("path" in entry) return { kind: "file", path: entry.path, shared };
  if ("directory" in entry) return { kind: "directory", directory: entry.directory, shared };
  return { kind: "url", url: entry.url, shared };
}

function toSettings(written: NonNullable<CharacterFile["settings"]>): CharacterSettings {
  const { secrets: _secrets, models, model, ...rest } = written;
  return { ...rest, models: toModels(models ?? {}, model) };
}

/** Secrets as texts; an empty one says nothing, so that the environment's can stand. */
function toSecrets(secrets: CharacterFile["secrets"]): Readonly<Record<string, string>> {
  const entries = Object.entries(secrets ?? {}).map(([key, value]) => [key, String(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value.trim() !== ""));
}
