import type { JsonObject, JsonValue } from "../json.ts";
import type { Findings } from "./findings.ts";
import { isJsonList, isJsonObject, type JsonDraft, ownValue } from "./json-value.ts";

/** Parts of a message in Eliza's form that an example has no use for. */
const NOT_SHOWN = [
  "thought",
  "providers",
  "source",
  "target",
  "url",
  "inReplyTo",
  "attachments",
  "channelType",
  "simple",
];

type Changes = { user: number; action: number; readonly ignored: Map<string, number> };

/** Brings example conversations into our form: `name` for `user`, `actions` for `action`, lists for groups. */
export function translateExamples(draft: JsonDraft, findings: Findings): void {
  const examples = draft.messageExamples;
  if (!isJsonList(examples)) return;
  const changes: Changes = { user: 0, action: 0, ignored: new Map() };
  const conversations = conversationsIn(examples, findings);
  draft.messageExamples = conversations.map((conversation) =>
    isJsonList(conversation) ? conversation.map((message) => translateMessage(message, changes)) : conversation,
  );
  reportChanges(changes, findings);
}

function conversationsIn(examples: readonly JsonValue[], findings: Findings): readonly JsonValue[] {
  const isMessage = (entry: JsonValue) => isJsonObject(entry) && Object.hasOwn(entry, "content");
  if (examples.length > 0 && examples.every(isMessage)) {
    findings.notice(
      ["messageExamples"],
      "The messages stand in no conversation; they were read as one",
      "Put each conversation into a list of its own: [[…], […]].",
    );
    return [examples];
  }
  return examples.map((entry) => (isJsonObject(entry) ? (ownValue(entry, "examples") ?? entry) : entry));
}

function translateMessage(message: JsonValue, changes: Changes): JsonValue {
  if (!isJsonObject(message)) return message;
  const { user, ...rest } = message;
  const translated: JsonDraft = { ...rest };
  if (user !== undefined) {
    changes.user += 1;
    if (!Object.hasOwn(translated, "name")) translated.name = user;
  }
  if (isJsonObject(message.content)) translated.content = translateContent(message.content, changes);
  return translated;
}

function translateContent(content: JsonObject, changes: Changes): JsonObject {
  const { action, ...rest } = content;
  const translated: JsonDraft = { ...rest };
  if (action !== undefined) {
    changes.action += 1;
    if (!Object.hasOwn(rest, "actions")) translated.actions = action === "" ? [] : [action];
  }
  if (Object.hasOwn(translated, "actions") && !Object.hasOwn(translated, "text")) translated.text = "";
  for (const key of NOT_SHOWN) {
    if (!Object.hasOwn(translated, key)) continue;
    delete translated[key];
    changes.ignored.set(key, (changes.ignored.get(key) ?? 0) + 1);
  }
  return translated;
}

function reportChanges(changes: Changes, findings: Findings): void {
  const path = ["messageExamples"];
  if (changes.user > 0) {
    findings.notice(path, `"user" was read as "name" in ${times(changes.user)}`, 'Write "name".');
  }
  if (changes.action > 0) {
    findings.notice(path, `"action" was read as "actions" in ${times(changes.action)}`, 'Write "actions": ["…"].');
  }
  for (const [key, count] of changes.ignored) {
    findings.notice(
      path,
      `"content.${key}" was ignored in ${times(count)}: an example shows text and actions`,
      "Remove it.",
    );
  }
}

function times(count: number): string {
  return count === 1 ? "one message" : `${count} messages`;
}
