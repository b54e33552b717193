import { type Character, platformSettings } from "../character/character.ts";
import { characterText, styleLines, type Writing } from "./character-text.ts";
import { conversationProviders } from "./conversation-providers.ts";
import type { Provided, RegisteredProvider, StateRequest } from "./provider.ts";
import { roomProviders } from "./room-providers.ts";
import type { Surroundings } from "./surroundings.ts";

/** What the providers every character has are made with. */
export type BuiltInParts = {
  readonly agentId: string;
  readonly character: Character;
  readonly surroundings: Surroundings;
};

/**
 * The sources every character has: who it is; where it is, who has which role there and who is there; what was said; what
 * time it is. What stays the same from turn to turn stands first.
 */
export function builtInProviders(parts: BuiltInParts): readonly RegisteredProvider[] {
  const { character } = parts;
  return [createAbout(character), ...roomProviders(parts), ...conversationProviders(parts), createTime(character)];
}

/** Who the character is: in conversations, and where it writes posts. */
function createAbout(character: Character): RegisteredProvider {
  const made = new Map<Writing, Provided>();
  const about = (writing: Writing): Provided => ({
    text: characterText(character, writing),
    values: { agentName: character.name, style: [...styleLines(character, writing)] },
  });
  return {
    name: "CHARACTER",
    position: -200,
    isStable: true,
    get(request) {
      const writing = channelOf(request) === "feed" ? "post" : "chat";
      const known = made.get(writing) ?? about(writing);
      made.set(writing, known);
      return known;
    },
  };
}

function channelOf({ room, message }: StateRequest): string | undefined {
  return room?.room.channelType ?? message.content.channelType;
}

/** The time by the character's clocks, to the minute; it stands last, because it never is the same twice. */
function createTime(character: Character): RegisteredProvider {
  return {
    name: "TIME",
    position: 1_000,
    get({ now, room, message }) {
      const platform = room?.room.platform ?? message.content.source ?? "";
      const text = timeText(now, platformSettings(character, platform).timeZone ?? "UTC");
      return { text: `<now>${text}</now>`, values: { now: text } };
    },
  };
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** `Friday, 2026-11-20 18:30 UTC`. */
function timeText(now: number, timeZone: string): string {
  if (timeZone === "UTC") {
    const date = new Date(now);
    return `${weekdays[date.getUTCDay()]}, ${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  }
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat("en-GB", { ...clockForm, timeZone });
  clocks.set(timeZone, clock);
  const { weekday, year, month, day, hour, minute } = Object.fromEntries(
    clock.formatToParts(now).map(({ type, value }) => [type, value]),
  );
  return `${weekday}, ${year}-${month}-${day} ${hour}:${minute} ${timeZone}`;
}

const clockForm = {
  weekday: "long",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const satisfies Intl.DateTimeFormatOptions;
