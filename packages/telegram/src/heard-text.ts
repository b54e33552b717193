import type { MentionContext } from "@troupe/core";
import { type Entity, type Message, readMessage, textIn } from "./payload.ts";

/** Whom the agent is on Telegram. */
export type Self = {
  /** What it is called in conversation. */
  readonly agentName: string;
  readonly botId: number;
  /** Without the `@`. */
  readonly username: string;
};

/** A command somebody gave: `/name@bot rest`. */
export type GivenCommand = {
  /** Lower case, without slash and bot. */
  readonly name: string;
  /** What stands behind it. */
  readonly rest: string;
  /** Whether a bot is named. */
  readonly isOurs: boolean;
  readonly isForeign: boolean;
};

/** A text as it is to be read: names instead of accounts, links and code as Markdown. */
export function readableText({ text, entities }: Pick<Message, "text" | "entities">, self: Self): string {
  let readable = "";
  let at = 0;
  for (const entity of entities) {
    if (entity.offset < at) continue;
    const part = text.slice(entity.offset, entity.offset + entity.length);
    const shown = showEntity(entity, part, self);
    if (shown === part) continue;
    readable += text.slice(at, entity.offset) + shown;
    at = entity.offset + entity.length;
  }
  return (readable + text.slice(at)).toWellFormed();
}

function showEntity({ type, user, url, language }: Entity, part: string, self: Self): string {
  switch (type) {
    case "mention":
      return isOwnName(part, self) ? `@${self.agentName}` : part;
    case "text_mention":
      if (!user) return part;
      return `@${user.id === self.botId ? self.agentName : user.name}`;
    case "text_link":
      return url === undefined || part.includes("]") || /[()\s]/.test(url) ? part : `[${part}](${url})`;
    case "code":
      return part.includes("`") ? part : `\`${part}\``;
    case "pre":
      return part.includes("```") ? part : `\`\`\`${language ?? ""}\n${part}\n\`\`\``;
    default:
      return part;
  }
}

const isOwnName = (mention: string, { username }: Self): boolean =>
  mention.toLowerCase() === `@${username.toLowerCase()}`;

/** The command a message begins with, or null. */
export function commandIn({ text, entities }: Pick<Message, "text" | "entities">, self: Self): GivenCommand | null {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  const [, name, bot] = /^\/(\w{1,64})(@\w+)?$/u.exec(text.slice(0, entity?.length ?? 0)) ?? [];
  if (!entity || name === undefined) return null;
  const isOurs = bot !== undefined && isOwnName(bot, self);
  return {
    name: name.toLowerCase(),
    rest: text.slice(entity.length).trim(),
    isOurs,
    isForeign: bot !== undefined && !isOurs,
  };
}

const everyone: ReadonlySet<string> = new Set(["@all", "@everyone", "@here"]);

/** For whom a message is meant, by Telegram's own marks. */
export function mentionsIn(message: Message, self: Self): MentionContext {
  const { text, entities } = message;
  const named = entities.flatMap(({ type, offset, length, user }) => {
    const part = text.slice(offset, offset + length);
    if (type === "mention") return [isOwnName(part, self) ? ("agent" as const) : part.toLowerCase()];
    if (type === "text_mention" && user) return [user.id === self.botId ? ("agent" as const) : String(user.id)];
    return [];
  });
  const command = commandIn(message, self);
  const mentionsAgent = named.includes("agent") || command?.isOurs === true;
  const mentionsEveryone = /@(all|everyone|here)\b/i.test(text) || named.some((name) => everyone.has(name));
  const others = named.filter((name) => name !== "agent" && !everyone.has(name));
  const mentionsOther = !mentionsAgent && (others.length > 0 || command?.isForeign === true);
  return {
    mentionsAgent,
    repliesToAgent: answeredMessage(message)?.from?.id === self.botId,
    ...(mentionsOther && { mentionsOther }),
    ...(mentionsEveryone && { mentionsEveryone }),
  };
}

/** What a message answers in its own chat; in a topic everything "answers" its beginning, which is no answer. */
export function answeredMessage(message: Message): Message | null {
  const answered = readMessage(message.fields["reply_to_message"]);
  if (!answered || answered.chat.id !== message.chat.id) return null;
  return "forum_topic_created" in answered.fields || answered.id === message.topicId ? null : answered;
}

/** The name of the topic a message stands in, where it can be seen. */
export function topicNameOf({ fields }: Message): string | undefined {
  const beginning = readMessage(fields["reply_to_message"])?.fields ?? null;
  for (const where of [fields, beginning]) {
    for (const event of ["forum_topic_created", "forum_topic_edited"]) {
      const topic = where?.[event];
      // The name is read from whatever is there; `textIn` looks at nothing but objects.
      const name = typeof topic === "object" && topic !== null ? textIn({ ...topic }, "name") : undefined;
      if (name !== undefined && name.trim() !== "") return name;
    }
  }
  return undefined;
}
