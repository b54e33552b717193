import { hash } from "node:crypto";
import { deriveId } from "../memory/derive-id.ts";
import type { Memory } from "../memory/memory.ts";
import type { Write } from "../store/writes.ts";
import type { ReadKnowledge } from "./knowledge-access.ts";
import {
  type FragmentRecord,
  fragmentToJson,
  type KnowledgeRecord,
  knowledgeRoomId,
  toFragment,
} from "./knowledge-record.ts";

/** A fragment as it is to be: its text with what was put in front, and what is kept with it. */
type Wanted = { readonly text: string; readonly kept: FragmentRecord };

/** What turns the fragments of a document into those it has now. */
export type FragmentChanges = {
  readonly writes: readonly Write[];
  /** Fragments it has afterwards. */
  readonly count: number;
};

/**
 * The writes by which a document's fragments become those it was cut into now: what says the same is left alone (its place is
 * corrected where it moved), what is new is put, what is gone is removed. Compared with what stands, so that beginning again
 * after a crash, with the same document or another one, doubles and leaves nothing. A text that occurs twice is one fragment.
 */
export function changeFragments(
  { ownerId, now }: { readonly ownerId: string; readonly now: number },
  record: KnowledgeRecord,
  { knowledge, standing }: { readonly knowledge: ReadKnowledge; readonly standing: readonly Memory[] },
): FragmentChanges {
  const wanted = new Map(cut(record, knowledge).map((one) => [one.kept.hash, one]));
  const known = new Map<string, Memory>();
  const writes: Write[] = [];
  for (const memory of standing) {
    const hash = toFragment(memory)?.hash ?? "";
    if (wanted.has(hash) && !known.has(hash)) known.set(hash, memory);
    else writes.push({ type: "memory.remove", id: memory.id });
  }
  for (const { text, kept } of wanted.values()) {
    const metadata = fragmentToJson(kept);
    const memory = known.get(kept.hash);
    if (!memory) {
      const id = deriveId("memory", ownerId, record.id, kept.hash, String(record.attempt));
      const place = { agentId: ownerId, roomId: knowledgeRoomId(ownerId), entityId: record.id };
      writes.push({
        type: "memory.put",
        memory: { id, ...place, type: "fragment", content: { text }, createdAt: now, metadata },
      });
    } else if (JSON.stringify(memory.metadata) !== JSON.stringify(metadata)) {
      writes.push({ type: "memory.edit", id: memory.id, metadata });
    }
  }
  return { writes, count: wanted.size };
}

function cut(record: KnowledgeRecord, { fragments, title }: ReadKnowledge): readonly Wanted[] {
  return fragments.map(({ text, place }, index) => {
    const lead = leadOf(text, title, place.headings);
    const whole = `${lead}${text}`.toWellFormed();
    const kept = { documentId: record.id, hash: hash("sha256", whole), index, source: record.source, place };
    return { text: whole, kept: { ...kept, ...(title !== undefined && { title }), lead: lead.length } };
  });
}

/** Title and headings that the text does not name itself: a part is found by what the whole is about. */
function leadOf(text: string, title: string | undefined, headings: readonly string[]): string {
  const beginning = text.slice(0, 400);
  const named = [...new Set([...(title === undefined ? [] : [title]), ...headings])];
  const missing = named.filter((name) => name.trim() !== "" && !beginning.includes(name));
  return missing.length === 0 ? "" : `${missing.join(" › ")}\n\n`;
}
