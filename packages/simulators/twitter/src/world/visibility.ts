import type { Post, User, World } from "./world.ts";

/** Whether somebody sees something: yes, not at all, or only that it is not theirs to see. */
export type Sight = "visible" | "absent" | "hidden";

/** What `viewerId` (null: nobody in particular) sees of an account's posts. */
export function sightOfPostsBy(world: World, viewerId: string | null, author: User | undefined): Sight {
  if (author === undefined || author.standing === "deactivated") return "absent";
  if (author.standing === "suspended") return "hidden";
  if (viewerId === author.id) return "visible";
  if (viewerId !== null && world.blocks.has(author.id, viewerId)) return "hidden";
  if (!author.isProtected) return "visible";
  return viewerId !== null && world.follows.has(viewerId, author.id) ? "visible" : "hidden";
}

/** What `viewerId` sees of a post. A repost is gone when its original is. */
export function sightOf(world: World, viewerId: string | null, post: Post | undefined): Sight {
  if (post === undefined || post.isDeleted) return "absent";
  const sight = sightOfPostsBy(world, viewerId, world.users.get(post.authorId));
  if (sight !== "visible" || post.repostOf === null) return sight;
  return sightOf(world, viewerId, world.posts.get(post.repostOf));
}

/** The posts somebody sees, of these. */
export function visible(world: World, viewerId: string | null, posts: readonly Post[]): Post[] {
  return posts.filter((post) => sightOf(world, viewerId, post) === "visible");
}
