import type { WireAnswer, WireRequest } from "@troupe/simulator-wire";
import type { World } from "../world.ts";

const gone: WireAnswer = {
  status: 404,
  headers: { "content-type": "text/plain" },
  body: "This content is no longer available.",
};

/** Serves a file of a message, as long as its address is good; null when the path is no such address. */
export function serveFile(world: World, request: WireRequest): WireAnswer | null {
  const found = /^\/attachments\/(\d+)\/(\d+)\/[^/]+$/.exec(request.path);
  if (!found) return null;
  const attachment = world.attachments.get(found[2] ?? "");
  const expiresMs = Number.parseInt(request.query.get("ex") ?? "", 16) * 1000;
  const isOver = Number.isNaN(expiresMs) || world.clock.now() > expiresMs;
  if (!attachment || attachment.channelId !== found[1] || isOver) return gone;
  return { status: 200, headers: { "content-type": attachment.mediaType }, body: attachment.bytes };
}
