import type { JsonObject } from "../json.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { InboxRow } from "../store/store.ts";

/** A message that plugin code hands to the agent, as if somebody had said it; a Memory is one. */
export type HandedMessage = {
  /** It counts as addressed to the agent unless its `mentionContext` says otherwise. */
  readonly content: Partial<Content> & { readonly text: string };
  /** The room it is said in; within an action the room of the message that is being answered, when absent. */
  readonly roomId?: string;
  /** Who says it; within an action who wrote the message that is being answered, when absent. */
  readonly entityId?: string;
  /** The same id again is the same message, answered once. Within an action the call and the words say that. */
  readonly id?: string;
  readonly metadata?: JsonObject;
};

/** What became of a message that was handed over. */
export type HandledMessage = {
  readonly runId: string;
  readonly outcome: NonNullable<InboxRow["outcome"]>;
  readonly reason?: string;
  /** What the agent said, as it is remembered, oldest first. */
  readonly responses: readonly Memory[];
};
