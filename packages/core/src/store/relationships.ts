import type { JsonObject } from "../json.ts";

/** How one entity stands to another: "friend", "colleague", "same-person". From `fromId` to `toId`; both ways are two rows. */
export type Relationship = {
  readonly fromId: string;
  readonly toId: string;
  /** Sorted, lower case, each once. */
  readonly tags: readonly string[];
  /** Since when, who said so, how sure: for whoever put it. */
  readonly data?: JsonObject;
  /** Epoch milliseconds. */
  readonly updatedAt: number;
};

/** Who stands how to whom; changed by `relationship.put` and `relationship.remove`. */
export interface Relationships {
  /** Those of an entity, from it and to it; with `tag`, only those that carry it. */
  of(agentId: string, entityId: string, query?: { readonly tag?: string }): Promise<readonly Relationship[]>;
}
