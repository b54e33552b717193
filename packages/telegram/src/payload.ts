/** An object as it came, with nothing known about it. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object a value is, or null when it is none. */
export function fieldsOf(value: unknown): Fields | null {
  // A plain object that came from JSON.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A text of an object, well-formed; undefined when there is none. */
export function textIn(fields: Fields | null, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" ? value.toWellFormed() : undefined;
}

/** A whole number of an object; undefined when there is none. */
export function integerIn(fields: Fields | null, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** Any number of an object; undefined when there is none. */
export function numberIn(fields: Fields | null, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The objects of a list; none when it is no list. */
export function listIn(fields: Fields | null, name: string): readonly Fields[] {
  const value = fields?.[name];
  return Array.isArray(value) ? value.map(fieldsOf).filter((one) => one !== null) : [];
}

/** Somebody with an account. @see https://core.telegram.org/bots/api#user */
export type User = {
  readonly id: number;
  readonly isBot: boolean;
  /** First and last name. */
  readonly name: string;
  readonly username?: string;
  readonly languageCode?: string;
};

/** A conversation. @see https://core.telegram.org/bots/api#chat */
export type Chat = {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  /** A group's title, or a person's name. */
  readonly name?: string;
  readonly username?: string;
  readonly isForum: boolean;
};

/** A stretch of a text, in UTF-16 code units. @see https://core.telegram.org/bots/api#messageentity */
export type Entity = {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly user?: User;
  readonly language?: string;
};

/** A message, as far as it was understood. @see https://core.telegram.org/bots/api#message */
export type Message = {
  readonly id: number;
  /** Seconds since 1970; 0 when it can no longer be looked at. */
  readonly date: number;
  readonly chat: Chat;
  readonly from?: User;
  /** The chat in whose name it was said. */
  readonly senderChat?: Chat;
  /** The topic it stands in. */
  readonly topicId?: number;
  /** Its text, or the words under its file. */
  readonly text: string;
  /** In order, all of them within the text. */
  readonly entities: readonly Entity[];
  /** Everything. */
  readonly fields: Fields;
};

/** Reads a user; null when it is none. */
export function readUser(value: unknown): User | null {
  const fields = fieldsOf(value);
  const id = integerIn(fields, "id");
  if (id === undefined) return null;
  const username = textIn(fields, "username");
  const languageCode = textIn(fields, "language_code");
  return {
    id,
    isBot: fields?.["is_bot"] === true,
    name: nameIn(fields) ?? (username === undefined ? `User ${id}` : `@${username}`),
    ...(username !== undefined && { username }),
    ...(languageCode !== undefined && { languageCode }),
  };
}

function nameIn(fields: Fields | null): string | undefined {
  const name = [textIn(fields, "first_name"), textIn(fields, "last_name")]
    .filter((part) => part !== undefined && part.trim() !== "")
    .join(" ")
    .replace(/\s+/gu, " ")
    .trim();
  return name === "" ? undefined : name;
}

/** Reads a chat; null when it is none, or of an unknown type. */
export function readChat(value: unknown): Chat | null {
  const fields = fieldsOf(value);
  const id = integerIn(fields, "id");
  const type = textIn(fields, "type");
  if (id === undefined) return null;
  if (type !== "private" && type !== "group" && type !== "supergroup" && type !== "channel") return null;
  const username = textIn(fields, "username");
  const title = textIn(fields, "title")?.trim();
  const name = (title === "" ? undefined : title) ?? nameIn(fields);
  return {
    id,
    type,
    isForum: fields?.["is_forum"] === true,
    ...(name !== undefined && { name }),
    ...(username !== undefined && { username }),
  };
}

/** Reads a message; null when it has no number or no chat. */
export function readMessage(value: unknown): Message | null {
  const fields = fieldsOf(value);
  const id = integerIn(fields, "message_id");
  const chat = readChat(fields?.["chat"]);
  if (!fields || id === undefined || !chat) return null;
  const from = readUser(fields["from"]);
  const senderChat = readChat(fields["sender_chat"]);
  const threadId = integerIn(fields, "message_thread_id");
  const said = textIn(fields, "text");
  const text = said ?? textIn(fields, "caption") ?? "";
  return {
    id,
    date: integerIn(fields, "date") ?? 0,
    chat,
    text,
    entities: readEntities(fields[said === undefined ? "caption_entities" : "entities"], text),
    fields,
    ...(from && { from }),
    ...(senderChat && { senderChat }),
    ...(fields["is_topic_message"] === true && threadId !== undefined && { topicId: threadId }),
  };
}

/** Reads the entities of a text; those that do not lie within it are left out. */
function readEntities(value: unknown, text: string): readonly Entity[] {
  return listIn({ value }, "value")
    .flatMap((fields): readonly Entity[] => {
      const type = textIn(fields, "type");
      const offset = integerIn(fields, "offset") ?? -1;
      const length = integerIn(fields, "length") ?? 0;
      if (type === undefined || offset < 0 || length <= 0 || offset + length > text.length) return [];
      const user = readUser(fields["user"]);
      const url = textIn(fields, "url");
      const language = textIn(fields, "language");
      return [
        {
          type,
          offset,
          length,
          ...(url !== undefined && { url }),
          ...(user && { user }),
          ...(language !== undefined && { language }),
        },
      ];
    })
    .sort((one, other) => one.offset - other.offset || other.length - one.length);
}
