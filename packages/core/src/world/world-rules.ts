import type { PlacedChoice } from "../action/action-filter.ts";
import type { PlatformSettings } from "../character/character.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { HouseSettingName } from "./world-setting.ts";

/** How the agent listens in one room because of what its server says: over the character's own, and further choices of actions. */
export type WorldRules = { readonly listening: PlatformSettings; readonly choices: readonly PlacedChoice[] };

/** What is set in a server and, beside it, in single rooms of it by their ids. */
export type SetValues = { readonly world: JsonObject; readonly rooms: Readonly<Record<string, JsonObject>> };

/** Where nothing is set. */
export const noRules: WorldRules = { listening: {}, choices: [] };

/** What holds in one room: the room's own values over the server's. Choices of actions add up, for each can only narrow. */
export function rulesIn({ world, rooms }: SetValues, roomId: string): WorldRules {
  const room = Object.hasOwn(rooms, roomId) ? rooms[roomId] : undefined;
  return {
    listening: listeningOf({ ...world, ...room }),
    choices: [...choicesOf("the server's settings", world), ...choicesOf("the room's settings", room ?? {})],
  };
}

function listeningOf(values: JsonObject): PlatformSettings {
  const own = (name: HouseSettingName): JsonValue | undefined => values[name];
  const [onlyMentions, ignoreBots, hours, zone, share] = [
    own("onlyMentions"),
    own("ignoreBots"),
    own("quietHours"),
    own("timeZone"),
    own("talkShare"),
  ];
  return {
    ...(typeof onlyMentions === "boolean" && { shouldRespondOnlyToMentions: onlyMentions }),
    ...(typeof ignoreBots === "boolean" && { shouldIgnoreBotMessages: ignoreBots }),
    // Equal ends mean never.
    ...(typeof hours === "string" && { quietHours: hours === "off" ? "00:00-00:00" : hours }),
    ...(typeof zone === "string" && { timeZone: zone }),
    ...(typeof share === "number" && { maxTalkShare: share }),
  };
}

/** What settings are changed with is never withheld: else nobody could take it back. */
const keptTag = "settings";

function choicesOf(where: string, values: JsonObject): readonly PlacedChoice[] {
  const include = namesIn(values["actions.include" satisfies HouseSettingName]);
  const exclude = namesIn(values["actions.exclude" satisfies HouseSettingName]);
  if (!include && !exclude) return [];
  return [{ where, choice: { ...(include && { include: [...include, keptTag] }), ...(exclude && { exclude }) } }];
}

function namesIn(value: JsonValue | undefined): readonly string[] | null {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : null;
}
