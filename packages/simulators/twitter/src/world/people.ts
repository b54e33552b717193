import { forbidden } from "../problem.ts";
import { findByUsername, type User, type World } from "./world.ts";

/** What a new account is like; everything else is X's default. */
export type UserOptions = {
  /** 1 to 15 letters, digits and `_`. */
  readonly username: string;
  /** The username when absent. */
  readonly name?: string;
  readonly description?: string;
  readonly location?: string;
  readonly url?: string;
  readonly isVerified?: boolean;
  readonly isProtected?: boolean;
  /** Wears the label of an automated account. */
  readonly isAutomated?: boolean;
  /** Whether strangers may write direct messages; only followed accounts when absent. */
  readonly takesDirectMessages?: boolean;
};

/** Makes an account. @throws Error when the name is taken or is no name. */
export function createUser(world: World, options: UserOptions): User {
  const { username } = options;
  if (!/^\w{1,15}$/.test(username)) throw new Error(`"${username}" is no username: 1 to 15 letters, digits and _`);
  if (findByUsername(world, username) !== undefined) throw new Error(`@${username} is taken: choose another username`);
  const user: User = {
    id: world.newId(),
    username,
    name: options.name ?? username,
    description: options.description ?? "",
    location: options.location ?? "",
    url: options.url ?? "",
    createdAtMs: world.clock.now(),
    isVerified: options.isVerified ?? false,
    isProtected: options.isProtected ?? false,
    standing: "active",
    isAutomated: options.isAutomated ?? false,
    takesDirectMessages: options.takesDirectMessages ?? false,
    pinnedPostId: null,
  };
  world.users.set(user.id, user);
  world.changed();
  return user;
}

/** What became of the wish to follow. */
export type Following = { readonly following: boolean; readonly pending_follow: boolean };

/** Follows, or asks a protected account for it. @throws Problem for oneself, and for who has blocked. */
export function follow(world: World, from: User, to: User): Following {
  if (from.id === to.id) throw forbidden("You cannot follow yourself.");
  if (world.blocks.has(to.id, from.id)) {
    throw forbidden("You have been blocked from following this account at the request of the user.");
  }
  if (world.follows.has(from.id, to.id)) return { following: true, pending_follow: false };
  if (to.isProtected) {
    world.followRequests.add(from.id, to.id);
    world.changed();
    return { following: false, pending_follow: true };
  }
  world.follows.add(from.id, to.id);
  world.changed();
  return { following: true, pending_follow: false };
}

/** Ends following, and a wish to follow. */
export function unfollow(world: World, from: User, to: User): void {
  world.follows.remove(from.id, to.id);
  world.followRequests.remove(from.id, to.id);
  world.changed();
}

/** Blocks, which ends following both ways. */
export function block(world: World, from: User, to: User): void {
  world.blocks.add(from.id, to.id);
  unfollow(world, from, to);
  unfollow(world, to, from);
}
