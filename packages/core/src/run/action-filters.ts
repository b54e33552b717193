import type { RegisteredAction } from "../action/action.ts";
import {
  type ActionChoice,
  type ActionFilter,
  choiceInData,
  createActionFilter,
  type PlacedChoice,
  unknownChoices,
} from "../action/action-filter.ts";
import { type ActionRules, type Character, platformSettings } from "../character/character.ts";
import { nearestKey } from "../character/nearest-key.ts";
import type { Room } from "../room/room.ts";

/** Says for each room which actions may be used there; `further` choices are those of its server. */
export type ActionFilters = (room: Room, further?: readonly PlacedChoice[]) => ActionFilter;

/** So many different choices are remembered; rooms bring their own. */
const mostFilters = 500;

/** The filters of a character's rooms; rooms with the same choices share one. */
export function createActionFilters(character: Character): ActionFilters {
  const made = new Map<string, ActionFilter>();
  return (room, further = []) => {
    const choices = [...choicesFor(character, room), ...further];
    const key = JSON.stringify(choices);
    const filter = made.get(key) ?? createActionFilter(choices);
    if (made.size >= mostFilters) made.clear();
    made.set(key, filter);
    return filter;
  };
}

/** What the character says about actions everywhere on the platform, in this room, and what the room says itself. */
function choicesFor(character: Character, room: Room): readonly PlacedChoice[] {
  const { platform, platformId, data } = room;
  const isOwn = character.platforms[platform]?.actions !== undefined;
  const where = isOwn ? `platforms.${platform}.actions` : "settings.actions";
  const rules = platformSettings(character, platform).actions;
  const inRoom = rules?.rooms && Object.hasOwn(rules.rooms, platformId) ? rules.rooms[platformId] : undefined;
  return [
    ...placed(where, rules),
    ...placed(`${where}.rooms["${platformId}"]`, inRoom),
    ...placed("the room's own actions", choiceInData(data) ?? undefined),
  ];
}

function placed(where: string, choice: ActionChoice | undefined): readonly PlacedChoice[] {
  if (!choice) return [];
  const { include, exclude } = choice;
  return [{ where, choice: { ...(include && { include }), ...(exclude && { exclude }) } }];
}

/** What in the character's choices names neither an action nor a tag, one sentence each. */
export function choiceWarnings(character: Character, actions: readonly RegisteredAction[]): readonly string[] {
  const known = [...new Set(actions.flatMap(({ name, tags = [] }) => [name, ...tags]))];
  const rules: readonly (readonly [where: string, rules: ActionRules | undefined])[] = [
    ["settings.actions", character.settings.actions],
    ...Object.entries(character.platforms).map(([name, own]) => [`platforms.${name}.actions`, own.actions] as const),
  ];
  const choices = rules.flatMap(([where, own]) => [
    ...placed(where, own),
    ...Object.entries(own?.rooms ?? {}).flatMap(([room, choice]) => placed(`${where}.rooms["${room}"]`, choice)),
  ]);
  return unknownChoices(choices, actions).map(({ where, word }) => {
    const near = nearestKey(word, known);
    const remedy = near === undefined ? "correct it, or add the plugin it comes from" : `did you mean ${near}?`;
    return `${where} names ${word}, which is neither an action nor a tag; ${remedy}`;
  });
}
