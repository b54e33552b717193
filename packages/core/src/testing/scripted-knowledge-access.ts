import { hash } from "node:crypto";
import { TroupeError } from "../errors.ts";
import type { KnowledgeAccess, ListedFile, ReadKnowledge } from "../knowledge/knowledge-access.ts";

/** Files and pages that a test writes, and what was asked of them. */
export type ScriptedKnowledge = KnowledgeAccess & {
  /** Writes a file or a page; the same words again are an edit all the same. An error is thrown to who reads it. */
  write(path: string, text: string | TroupeError): void;
  remove(path: string): void;
  /** What was read, in order. */
  readonly reads: readonly string[];
  /** How often files were only looked at. */
  looks(): number;
  /** From now on reading waits until the function that comes back is called. */
  hold(): () => void;
};

/** A world of documents for tests: paragraphs are fragments, a line that begins with `#` is the heading of what follows. */
export function createScriptedKnowledge(): ScriptedKnowledge {
  const files = new Map<string, { readonly text: string | TroupeError; readonly modifiedAtMs: number }>();
  const reads: string[] = [];
  let edits = 0;
  let looks = 0;
  let gate: Promise<void> = Promise.resolve();
  const stampOf = (path: string): { sizeBytes: number; modifiedAtMs: number } | null => {
    const file = files.get(path);
    return file ? { sizeBytes: String(file.text).length, modifiedAtMs: file.modifiedAtMs } : null;
  };
  const read = async (path: string, signal: AbortSignal): Promise<ReadKnowledge> => {
    reads.push(path);
    await Promise.race([
      gate,
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
    const file = files.get(path);
    if (!file) throw new TroupeError("not_found", `${path} does not exist: check the path`);
    if (file.text instanceof TroupeError) throw file.text;
    return toKnowledge(file.text);
  };
  return {
    reads,
    looks: () => looks,
    write(path, text) {
      edits += 1;
      files.set(path, { text, modifiedAtMs: edits });
    },
    remove: (path) => void files.delete(path),
    hold() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return held.resolve;
    },
    async stamp(path) {
      looks += 1;
      return stampOf(path);
    },
    async list(directory) {
      looks += 1;
      const under = [...files.keys()].filter((path) => path.startsWith(`${directory}/`)).sort();
      if (under.length === 0) throw new TroupeError("not_found", `${directory} does not exist: name a directory`);
      const listed = under.flatMap((absolutePath): ListedFile[] => {
        const stamp = stampOf(absolutePath);
        return stamp ? [{ ...stamp, absolutePath, path: absolutePath.slice(directory.length + 1) }] : [];
      });
      const isReadable = ({ path }: ListedFile): boolean => !path.endsWith(".exe");
      const skipped = listed.filter((file) => !isReadable(file));
      return {
        files: listed.filter(isReadable),
        skipped: skipped.map(({ path }) => ({ path, reason: "is of a kind that cannot be read (.exe)" })),
      };
    },
    readFile: read,
    async readPage(url, { etag }, signal) {
      const now = String(files.get(url)?.modifiedAtMs);
      if (etag !== undefined && etag === now) {
        reads.push(`${url} unchanged`);
        return { type: "unchanged" };
      }
      return { type: "read", knowledge: await read(url, signal), etag: now };
    },
    readText: async (text) => toKnowledge(text),
  };
}

function toKnowledge(text: string): ReadKnowledge {
  let headings: readonly string[] = [];
  const fragments = text.split(/\n\n+/u).flatMap((paragraph, at) => {
    if (!paragraph.startsWith("# ")) return [{ text: paragraph, place: { headings, page: at + 1 } }];
    headings = [paragraph.slice(2)];
    return [];
  });
  return { mediaType: "text/plain", hash: hash("sha256", text), fragments, warnings: [] };
}
