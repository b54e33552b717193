import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import { type FragmentPlace, placeToJson } from "./knowledge-access.ts";

/**
 * waiting → reading → read or failed, and again when it changed. A failed one is not tried again before it changed, but for
 * pages that may be back tomorrow.
 */
export type RecordState = "waiting" | "reading" | "read" | "failed";

const recordSchema = z.object({
  key: z.string(),
  sourceKey: z.string(),
  source: z.string(),
  state: z.enum(["waiting", "reading", "read", "failed"]),
  fragments: z.number(),
  /** How often it was begun in all: new fragments of each time get ids of their own. */
  attempt: z.number(),
  /** How often it was begun since it last came to an end. */
  begun: z.number(),
  checkedAt: z.number(),
  path: z.string().exactOptional(),
  /** Of a directory: how many files are to be read. */
  files: z.number().exactOptional(),
  title: z.string().exactOptional(),
  mediaType: z.string().exactOptional(),
  hash: z.string().exactOptional(),
  sizeBytes: z.number().exactOptional(),
  modifiedAtMs: z.number().exactOptional(),
  etag: z.string().exactOptional(),
  lastModified: z.string().exactOptional(),
  reason: z.string().exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
});

/**
 * What is known of one document: where it lies, what became of reading it, and what tells whether it changed. It is kept as the
 * metadata of a Memory of type "document", so that it is written together with its fragments. A directory has a record too,
 * without fragments: `key` is the source's own; its files have `path`, the way below it.
 */
export type KnowledgeRecord = Readonly<z.output<typeof recordSchema>> & { readonly id: string };

/** A document's memory as a record; null when it is something else. */
export function toRecord({ id, metadata }: Memory): KnowledgeRecord | null {
  const read = recordSchema.safeParse(metadata);
  return read.success ? { id, ...read.data } : null;
}

/** What is kept with a document's memory. */
export function recordToJson({ id: _, ...kept }: KnowledgeRecord): JsonObject {
  return kept;
}

const fragmentSchema = z.object({
  documentId: z.string(),
  hash: z.string(),
  index: z.number(),
  source: z.string(),
  title: z.string().exactOptional(),
  /** The beginning of the text that was put in front of it so that it is found: title and headings. */
  lead: z.number(),
  place: z.object({
    headings: z.array(z.string()),
    page: z.number().exactOptional(),
    lines: z.object({ from: z.number(), to: z.number() }).exactOptional(),
    rows: z.object({ from: z.number(), to: z.number() }).exactOptional(),
  }),
});

/** What is kept with a fragment; `hash` is of its whole text, lead included. */
export type FragmentRecord = Omit<Readonly<z.output<typeof fragmentSchema>>, "place"> & {
  readonly place: FragmentPlace;
};

/** What is kept with a fragment's memory; null when it is none. */
export function toFragment({ metadata }: Memory): FragmentRecord | null {
  const read = fragmentSchema.safeParse(metadata);
  return read.success ? read.data : null;
}

/** A fragment's record as metadata. */
export function fragmentToJson({ place, ...kept }: FragmentRecord): JsonObject {
  return { ...kept, place: placeToJson(place) };
}

/** Where everything an owner knows lies. Nothing is said in this room. */
export function knowledgeRoomId(ownerId: string): string {
  return deriveId("room", "knowledge", ownerId);
}

/** The owner of what all agents of a home know: no agent, but it has memories, jobs and vectors like one. */
export const sharedOwnerId = deriveId("agent", "knowledge", "shared");
