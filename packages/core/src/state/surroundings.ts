import type { Whereabouts } from "../action/action.ts";
import type { Memory } from "../memory/memory.ts";

/** A room as the providers see it: with its world, if it has one. */
export type Place = Whereabouts["room"];

/** Somebody in a room, as far as providers tell of them. */
export type Person = {
  readonly id: string;
  readonly platformId: string;
  /** The name others see. */
  readonly name: string;
  readonly isBot?: boolean;
};

/** What people may do in one world. */
export type Ranks = {
  /** `owner`, `admin`, `member` or `none`. */
  rankOf(person: Pick<Person, "id" | "platformId">): string;
  /** The owner and the admins that are known by name, the owner first, at most `limit`. */
  leaders(limit: number): Promise<readonly { readonly person: Person; readonly rank: string }[]>;
};

/** Where the providers every character has look things up. */
export interface Surroundings {
  room(roomId: string): Promise<Place | null>;
  /** Who spoke in a room, last spoken first. */
  people(roomId: string, limit: number): Promise<readonly Person[]>;
  ranksIn(world: NonNullable<Place["world"]>): Promise<Ranks>;
  /** The last messages of a room, oldest first. */
  recent(roomId: string, limit: number): Promise<readonly Memory[]>;
}
