/** What is to be forgotten: a person with everything they said and all that came of it, single memories, or whole rooms. */
export type Forgetting =
  | { readonly type: "entity"; readonly entityId: string }
  | { readonly type: "memories"; readonly ids: readonly string[] }
  | { readonly type: "room"; readonly roomId: string };

/**
 * What was forgotten, in rows. `memories` without `facts`; `runs`: those that can no longer be replayed because of it; `parts`: those
 * that became tombstones, because they hold a forgotten text or no other run refers to them.
 */
export type Forgotten = {
  readonly memories: number;
  readonly facts: number;
  readonly embeddings: number;
  readonly runs: number;
  readonly parts: number;
  readonly deliveries: number;
  readonly relationships: number;
  readonly tasks: number;
};
