import { entityIdOf } from "../memory/message-id.ts";
import type { Entity, Room } from "../room/room.ts";
import type { Rooms } from "../store/store.ts";

/** Where people are looked for. */
export type FindPersonParts = { readonly agentId: string; readonly rooms: Pick<Rooms, "entities" | "participants"> };

/** Whom some words mean: one person, several that could be meant, or nobody. */
export type FoundPerson =
  | { readonly type: "found"; readonly person: Entity }
  | { readonly type: "ambiguous"; readonly candidates: readonly Entity[] }
  | { readonly type: "unknown" };

/** So many of those who spoke last are looked through. */
const searchedPeople = 200;

/**
 * Finds somebody by what people call them: a mention (`<@123>`, `@name`), the platform's id, our own id, or, without regard to
 * case, the exact name others see or the user name. Names are looked for among those who spoke in the room; nothing is fuzzy.
 */
export async function findPerson(wanted: string, room: Room, parts: FindPersonParts): Promise<FoundPerson> {
  const { agentId, rooms } = parts;
  const said = wanted.trim();
  const id = /^<@!?([^<>\s]+)>$/u.exec(said)?.[1] ?? said;
  const name = said.replace(/^@/u, "").trim();
  const ids = [...new Set([id, name])].flatMap((one) => [one, entityIdOf(room.platform, room.account, one)]);
  const [byId, people] = await Promise.all([
    rooms.entities(agentId, ids),
    rooms.participants(agentId, { roomId: room.id, limit: searchedPeople }),
  ]);
  const [known] = byId.filter((entity) => entity.platform === room.platform && entity.account === room.account);
  if (known) return { type: "found", person: known };
  return choose(people.filter((entity) => namesOf(entity).includes(fold(name))));
}

function choose(candidates: readonly Entity[]): FoundPerson {
  const [person, ...others] = candidates;
  if (!person) return { type: "unknown" };
  return others.length === 0 ? { type: "found", person } : { type: "ambiguous", candidates };
}

function namesOf({ name, data }: Entity): readonly string[] {
  const username = data?.["username"];
  return [fold(name), ...(typeof username === "string" ? [fold(username.replace(/^@/u, ""))] : [])];
}

function fold(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}
