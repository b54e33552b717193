import type { Clock } from "../clock.ts";
import { errorMessage, TroupeError } from "../errors.ts";
import type { Inbound } from "../inbox/inbound.ts";
import type { JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import { composeFrame } from "./compose-frame.ts";
import { contextPlatform } from "./context-client.ts";
import type { ContextRef } from "./context-definition.ts";
import type { ContextDefinitions } from "./context-definitions.ts";
import type { ContextSource } from "./context-frame.ts";
import { placeOf, refTo, roomType } from "./context-ref.ts";
import type { ContextStates } from "./context-states.ts";
import { roomContext } from "./room-context.ts";

/** What contexts are opened with. */
export type ContextSourceParts = {
  readonly agentId: string;
  readonly states: ContextStates;
  readonly definitions: ContextDefinitions;
  readonly clock: Clock;
  readonly log: Log;
};

/** The contexts of an agent's lanes. */
export function createContextSource(parts: ContextSourceParts): ContextSource {
  const { agentId, states } = parts;
  return {
    laneOf: (inbound) => laneOf(inbound, parts),
    async open({ contextId, room: { room }, extras = {} }) {
      const isOwnLane = contextId === room.id && room.platform !== contextPlatform;
      const ref = (isOwnLane ? null : await refOf(contextId, parts)) ?? roomRef(room, parts);
      const { id, type, key } = placeOf(agentId, ref);
      const known = new Map<string, JsonValue>();
      return {
        contextId: id,
        type,
        key,
        frame: (request) => composeFrame({ ref, extras, request, known }, { ...parts, states }),
      };
    },
  };
}

/** Which room this is, as the context of rooms is told. */
function roomRef(room: Inbound["room"], { definitions }: ContextSourceParts): ContextRef {
  if (room.platform === contextPlatform) {
    throw new TroupeError(
      "not_found",
      `the context ${room.platformId} is not kept any more, or was removed; send to it again to make it anew`,
    );
  }
  const { id: roomId, platform, account, channelType, name } = room;
  const definition = definitions.get(roomType) ?? roomContext;
  const ref = refTo(definition, { roomId, platform, account, channelType, ...(name !== undefined && { name }) });
  // The room's id is its context's: its lane is the same with and without steps.
  return { ...ref, key: roomId };
}

/** The context that is kept under an id. @throws TroupeError `not_found` when nothing defines its type any more. */
async function refOf(id: string, { states, definitions }: ContextSourceParts): Promise<ContextRef | null> {
  const record = await states.find(id);
  if (!record) return null;
  const definition = definitions.get(record.type);
  if (!definition) {
    throw new TroupeError(
      "not_found",
      `the context ${record.type} ${record.key} cannot be opened: nothing brings contexts of type ${record.type}; install the plugin that does`,
    );
  }
  const args = definition.readArgs(record.args);
  return { definition, args: args.ok ? args.value : record.args, key: record.key };
}

/** The first context that takes what a client heard. One whose function throws takes nothing. */
async function laneOf(inbound: Inbound, { definitions, states, log }: ContextSourceParts): Promise<string | null> {
  for (const { context, input } of definitions.inputs()) {
    for (const source of input.sources) {
      if (source.type !== "messages") continue;
      try {
        const args = source.args(inbound);
        if (args === null || args === undefined || args === false) continue;
        const ref = refTo(definitions.get(context.type) ?? context, args === true ? undefined : args);
        return (await states.open(ref)).place.id;
      } catch (error) {
        log.error(
          { type: context.type, input: input.name, error: errorMessage(error) },
          "an input could not take a message; its room does",
        );
      }
    }
  }
  return null;
}
