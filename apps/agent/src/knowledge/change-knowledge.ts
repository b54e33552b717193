import type { Store } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import { addSource, forgetSource, removeSource, sharedOwnerId } from "@troupe/core/knowledge";
import type { ControlHandlers } from "../control/control-server.ts";
import type { ControlAnswers, ControlRequest } from "../control/protocol.ts";
import type { Knowing } from "./knowing.ts";

/** Where what is known is changed: in the data, and in the running agents, when there are some. */
export type ChangeParts = { readonly store: Store; readonly knowing: Pick<Knowing, "check"> | null };

type AddRequest = Extract<ControlRequest, { type: "knowledge.add" }>;
type RemoveRequest = Extract<ControlRequest, { type: "knowledge.remove" }>;

/** Adds a source; a running agent begins to read it, another one does at its next start. */
export async function addKnowledge(
  { ownerId, source }: Pick<AddRequest, "ownerId" | "source">,
  { store, knowing }: ChangeParts,
): Promise<ControlAnswers["knowledge.add"]> {
  const isNew = await addSource(store.keyValues, ownerId, source);
  const isReading = (await knowing?.check(ownerId === sharedOwnerId ? null : ownerId)) ?? false;
  return { isNew, isReading };
}

/** Takes a source away that was added, and forgets what it said. @throws TroupeError `not_found` when it was not added. */
export async function removeKnowledge(
  { ownerId, key }: Pick<RemoveRequest, "ownerId" | "key">,
  { store, knowing }: ChangeParts,
): Promise<ControlAnswers["knowledge.remove"]> {
  if (!(await removeSource(store.keyValues, ownerId, key))) {
    throw new TroupeError("not_found", "That was not added by hand; list what was with: troupe knowledge list");
  }
  const isForgotten = (await knowing?.check(ownerId === sharedOwnerId ? null : ownerId)) ?? false;
  // Nobody runs who would forget it.
  if (!isForgotten) await forgetSource(ownerId, key, store);
  return { isForgotten: true };
}

/** What a running process does when commands ask it to change what is known. */
export function knowledgeHandlers(parts: ChangeParts): Pick<ControlHandlers, "knowledge.add" | "knowledge.remove"> {
  return {
    "knowledge.add": (request) => addKnowledge(request, parts),
    "knowledge.remove": (request) => removeKnowledge(request, parts),
  };
}
