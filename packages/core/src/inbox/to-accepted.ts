import type { JsonObject } from "../json.ts";
import type { Inbound } from "./inbound.ts";

/**
 * An inbound event as it is stored: texts are well-formed and without NUL, and the message itself remembers how its writer was
 * called, so that a conversation can be shown without looking anybody up.
 */
export function toAccepted(inbound: Inbound, agentId: string): Inbound {
  const { memory, entity, world } = inbound;
  const metadata: JsonObject = {
    ...memory.metadata,
    entityName: cleanText(entity.name),
    entityPlatformId: entity.platformId,
    ...(world && { worldPlatformId: world.platformId }),
    ...(entity.isBot === true && { fromBot: true }),
  };
  const content = { ...memory.content, text: cleanText(memory.content.text) };
  return { ...inbound, memory: { ...memory, agentId, content, metadata } };
}

/** Well-formed and without NUL, as everything is stored. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
