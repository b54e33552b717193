import type { RecallScope } from "../recall/recall-settings.ts";
import type { RoomRow } from "../store/store.ts";
import type { Fact } from "./fact.ts";

/** Before whom, and where, facts are to be told. */
export type Audience = {
  readonly room: RoomRow;
  /** All accounts of the person who is spoken with. */
  readonly accounts: readonly string[];
  /** How far the operator lets the character look. */
  readonly scope: RecallScope;
  /** The rooms of the same world, where the scope is the world. */
  readonly isInWorld?: (roomId: string) => boolean;
};

/**
 * Whether a fact may be told before somebody: what was said in the room itself; in direct messages, and everywhere when the
 * operator opted in to that, also what the person said elsewhere; and what was said openly in the same world, when that is the
 * scope. What one person confided is never told to another.
 */
export function mayTell(fact: Fact, { room, accounts, scope, isInWorld }: Audience): boolean {
  if (fact.roomId === room.room.id) return true;
  const isTheirWord = accounts.includes(fact.saidById);
  if (isTheirWord && (room.room.channelType === "dm" || scope === "person")) return true;
  return scope === "world" && !fact.isPrivate && isInWorld?.(fact.roomId) === true;
}

/**
 * Whether a fact and what is said in a room now may change each other: both of this room, or both of one person's direct
 * messages. So nothing that was confided shows in a group, not even by what it put an end to.
 */
export function maySettle(fact: Fact, { room, accounts }: Pick<Audience, "room" | "accounts">): boolean {
  if (fact.roomId === room.room.id) return true;
  return room.room.channelType === "dm" && fact.isPrivate && accounts.includes(fact.saidById);
}
