import { z } from "zod";
import { context } from "./context.ts";
import { contextOutput } from "./context-output.ts";
import { roomType } from "./context-ref.ts";

/** Says something in the run's room, through the outbox. For any context whose runs take place in a room. */
export const messageOutput = contextOutput({
  name: "message",
  description: "Says something to the people in the room.",
  examples: [{ content: "Good morning! What shall we look at first?" }],
});

/**
 * The context that every room on every client is, unless a context of the type `room` takes its place. Extend it with
 * `roomContext.action(…)` and the like, and register what comes of it.
 */
export const roomContext = context({
  type: roomType,
  description: "A conversation on a platform.",
  schema: z.object({ roomId: z.string() }),
  key: ({ roomId }) => roomId,
  outputs: [messageOutput],
});
