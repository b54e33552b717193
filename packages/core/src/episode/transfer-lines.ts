import { z } from "zod";
import type { JsonObject } from "../json.ts";

/** The form of the lines; another one cannot be read. */
export const transferVersion = 1;

const json = z.json();
const jsonObject = z.custom<JsonObject>((value) => z.record(z.string(), json).safeParse(value).success);
const moment = z.number().int();
const id = z.string().min(1).max(200);

const world = z.object({
  id,
  platform: z.string(),
  account: z.string(),
  platformId: z.string(),
  name: z.string().exactOptional(),
  data: jsonObject.exactOptional(),
});

const room = z.object({
  ...world.shape,
  worldId: id.exactOptional(),
  channelType: z.enum(["dm", "group", "thread", "forum", "feed"]),
});

const entity = z.object({ ...world.shape, name: z.string(), isBot: z.boolean().exactOptional() });

/** One line of an export: JSON, in this order: the head, then contexts, rooms and people, then episodes. */
export const transferLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("troupe-contexts"),
    version: z.literal(transferVersion, `it is of another version than ${transferVersion}; export it again`),
    agentId: id,
    exportedAt: moment,
  }),
  z.object({
    type: z.literal("context"),
    contextId: id,
    contextType: z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, "no type of context"),
    key: z.string().min(1).max(512),
    args: json,
    state: json.exactOptional(),
    createdAt: moment,
    updatedAt: moment,
  }),
  z.object({ type: z.literal("world"), world }),
  z.object({ type: z.literal("room"), room }),
  z.object({ type: z.literal("entity"), entity }),
  z.object({
    type: z.literal("episode"),
    episode: z.object({
      runId: id,
      roomId: id,
      entityId: id,
      text: z.string(),
      createdAt: moment,
      metadata: jsonObject,
    }),
  }),
]);

/** What a line says. */
export type TransferLine = z.output<typeof transferLine>;
