import type { Inbound, MentionContext, Room } from "@troupe/core";
import { entityIdOf, messageMemoryId, roomIdOf } from "@troupe/core/memory";
import { cleanText } from "./clean-text.ts";

/** One message typed or piped in. `number` counts the messages of a session from 1. */
export type HeardLine = {
  readonly text: string;
  readonly sessionId: string;
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** A character's command that was asked for by name, with the words behind it. */
  readonly command?: { readonly name: string; readonly argument: string };
};

/** Which agent hears a line, from whom, and who else hears it. */
export type Hearer = {
  readonly agentId: string;
  readonly account: string;
  /** How the user is called; their id on this platform too. */
  readonly userName: string;
  /** The names of everybody in the terminal, this agent's included. */
  readonly names: readonly string[];
  readonly agentName: string;
};

/**
 * The event of a line for one agent, or null when nothing was said. One agent alone has the terminal as a direct message;
 * several hear everything as one group, each in its own room, and a mention tells whom it is for.
 */
export function toInbound(line: HeardLine, hearer: Hearer): Inbound | null {
  const text = cleanText(line.text);
  if (text.trim() === "") return null;
  const { agentId, account, userName } = hearer;
  const room = toRoom(account, userName, hearer.names.length > 1);
  const entityId = entityIdOf("terminal", account, userName);
  const message = `${line.sessionId}:${line.number}`;
  return {
    eventId: message,
    kind: line.command ? "command" : "message",
    room,
    entity: { id: entityId, platform: "terminal", account, platformId: userName, name: userName, isBot: false },
    memory: {
      id: messageMemoryId({ platform: "terminal", account, room: room.platformId, message }),
      agentId,
      roomId: room.id,
      entityId,
      type: "message",
      content: {
        text,
        source: "terminal",
        channelType: room.channelType,
        mentionContext: toMention(text, hearer),
        ...(line.command && {
          command: {
            name: line.command.name,
            parameters: line.command.argument ? { text: line.command.argument } : {},
          },
        }),
      },
      createdAt: line.at,
      platformId: message,
    },
  };
}

/** The terminal as a room of one account: the same over restarts, so that the conversation goes on. */
function toRoom(account: string, userName: string, isGroup: boolean): Room {
  const platformId = isGroup ? `terminal:${userName}:group` : `terminal:${userName}`;
  return {
    id: roomIdOf("terminal", account, platformId),
    platform: "terminal",
    account,
    platformId,
    channelType: isGroup ? "group" : "dm",
    name: "terminal",
  };
}

function toMention(text: string, hearer: Hearer): MentionContext {
  const { named, isEveryone } = findAddressed(text, hearer.names);
  const mentionsAgent = named.has(hearer.agentName);
  return {
    mentionsAgent,
    repliesToAgent: false,
    ...(!mentionsAgent && !isEveryone && named.size > 0 && { mentionsOther: true }),
    ...(isEveryone && { mentionsEveryone: true }),
  };
}

/** Whom a text addresses. */
export type Addressed = { readonly named: ReadonlySet<string>; readonly isEveryone: boolean };

const everyone = ["everyone", "all"];
const separator = /^[\s,，،、;；؛:：&+]+/u;
const callEnd = /^\s*[,，،、:：]/u;
const letterOrDigit = /[\p{L}\p{M}\p{N}_]/u;
/** Scripts that put no spaces between words: a name may be followed by anything. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Finds who is addressed by `@name` anywhere, or by `name:` or `name,` at the beginning; longer names first, in any script,
 * whatever the case and accents. `@all` and `@everyone` address everybody.
 */
export function findAddressed(text: string, names: readonly string[]): Addressed {
  const folded = fold(text);
  const calls = [...names, ...everyone]
    .map((name) => ({ name, folded: fold(name.trim()) }))
    .filter((call) => call.folded !== "")
    .sort((a, b) => b.folded.length - a.folded.length);
  const found = new Set<string>();
  const callAt = (at: number): { readonly name: string; readonly end: number } | null => {
    const call = calls.find((each) => folded.startsWith(each.folded, at) && endsThere(folded, at, each.folded));
    return call ? { name: call.name, end: at + call.folded.length } : null;
  };
  for (let at = folded.indexOf("@"); at !== -1; at = folded.indexOf("@", at + 1)) {
    const before = at === 0 ? "" : (/.$/su.exec(folded.slice(Math.max(0, at - 2), at))?.[0] ?? "");
    const call = letterOrDigit.test(before) && !unspaced.test(before) ? null : callAt(at + 1);
    if (call) found.add(call.name);
  }
  let at = folded.length - folded.trimStart().length;
  for (;;) {
    const isMark = folded[at] === "@";
    const call = callAt(isMark ? at + 1 : at);
    if (!call || (!isMark && (everyone.includes(call.name) || !callEnd.test(folded.slice(call.end, call.end + 20)))))
      break;
    found.add(call.name);
    at = call.end + (separator.exec(folded.slice(call.end, call.end + 20))?.[0].length ?? 0);
  }
  return {
    named: new Set(names.filter((name) => found.has(name))),
    isEveryone: everyone.some((name) => found.has(name)),
  };
}

/** Folds what does not tell names apart: case, width, accents. */
function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .normalize("NFC");
}

function endsThere(text: string, at: number, name: string): boolean {
  const next = text.slice(at + name.length, at + name.length + 2).match(/^./su)?.[0] ?? "";
  const last = /.$/su.exec(name)?.[0] ?? "";
  return (
    next === "" || !letterOrDigit.test(next) || unspaced.test(last) || (unspaced.test(next) && !unspaced.test(last))
  );
}
