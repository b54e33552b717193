import type { ExampleMessage } from "./character.ts";
import type { Findings } from "./findings.ts";
import { freeNames, nameEverybody, placeholdersIn } from "./placeholders.ts";
import type { CharacterFile } from "./schema.ts";

type Conversation = NonNullable<CharacterFile["messageExamples"]>[number];

/**
 * Makes the example conversations ready to show: names for placeholders, the character's name spelled as it is, empty
 * ones left out. Conversations nobody can learn from are noticed.
 */
export function resolveMessageExamples(
  conversations: readonly Conversation[],
  agentName: string,
  findings: Findings,
): readonly (readonly ExampleMessage[])[] {
  const guests = freeNames([agentName, ...conversations.flat().map((message) => message.name)]);
  const resolved: (readonly ExampleMessage[])[] = [];
  for (const [position, conversation] of conversations.entries()) {
    const messages = resolveConversation(conversation, { agentName, guests, position, findings });
    reportOddConversation(messages, { agentName, position, findings });
    if (messages.length > 0) resolved.push(messages);
  }
  return resolved;
}

type Resolving = {
  readonly agentName: string;
  readonly guests: readonly string[];
  readonly position: number;
  readonly findings: Findings;
};

function resolveConversation(conversation: Conversation, resolving: Resolving): readonly ExampleMessage[] {
  const { agentName, guests, position, findings } = resolving;
  const messages: ExampleMessage[] = [];
  for (const [index, message] of conversation.entries()) {
    const path = ["messageExamples", position, index];
    const name = spelledAs(agentName, nameEverybody(message.name, agentName, guests).trim());
    const text = nameEverybody(message.content.text, agentName, guests);
    const left = placeholdersIn(`${name} ${text}`);
    if (left.length > 0) {
      findings.notice(
        path,
        `Nothing fills in ${left.join(", ")}; it stays as it stands`,
        "Write a name, or {{user1}}.",
      );
    }
    const actions = message.content.actions?.map((action) => action.trim()).filter((action) => action !== "") ?? [];
    if (name === "") {
      findings.notice(
        [...path, "name"],
        "A message without a speaker was left out",
        'Name who speaks, as in "{{user1}}".',
      );
    } else if (text.trim() === "" && actions.length === 0) {
      findings.notice([...path, "content"], "An empty message was left out", "Write its text, or remove it.");
    } else {
      messages.push({ name, content: { text, ...(actions.length > 0 && { actions }) } });
    }
  }
  return messages;
}

function spelledAs(agentName: string, name: string): string {
  return name.toLowerCase() === agentName.toLowerCase() ? agentName : name;
}

function reportOddConversation(
  messages: readonly ExampleMessage[],
  { agentName, position, findings }: Omit<Resolving, "guests">,
): void {
  const path = ["messageExamples", position];
  const speakers = new Set(messages.map((message) => message.name));
  if (messages.length === 0) {
    findings.notice(path, "An empty conversation was left out", "Write a question and an answer, or remove it.");
  } else if (!speakers.has(agentName)) {
    findings.notice(
      path,
      `${agentName} says nothing in this conversation (it is between ${[...speakers].join(" and ")})`,
      `Name the character "${agentName}", as above, or {{char}}, where it speaks.`,
    );
  } else if (speakers.size === 1 && messages.length > 1) {
    findings.notice(
      path,
      `Every message of this conversation is by ${agentName}`,
      "Give the other side a name of its own, such as {{user1}}.",
    );
  }
}
