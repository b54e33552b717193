import { hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { TroupeError } from "@troupe/core/errors";
import type { KnowledgeAccess, ReadKnowledge } from "@troupe/core/knowledge";
import type { ReadDocument } from "@troupe/documents";

/** What documents are had with; everything may be left out. */
export type AccessOptions = {
  /** Pages at private and local addresses, too: where the operator says so. */
  readonly allowPrivate?: boolean;
};

/** The readers are large: they are loaded when the first document is read. */
const loadReaders = (): Promise<typeof import("@troupe/documents")> => import("@troupe/documents");

/** Knowledge out of files and pages, read by the readers of documents within their limits. */
export function createKnowledgeAccess({ allowPrivate = false }: AccessOptions = {}): KnowledgeAccess {
  return {
    async stamp(path) {
      const stats = await stat(path).catch(() => null);
      return stats?.isFile() ? { sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs } : null;
    },
    async list(directory, signal) {
      const { listDocuments } = await loadReaders();
      const { documents, skipped } = await listDocuments(directory, { signal });
      return { files: documents, skipped };
    },
    async readFile(path, signal) {
      const { readDocumentFile } = await loadReaders();
      return toKnowledge(await readDocumentFile(path, { name: basename(path), signal }));
    },
    async readPage(url, marks, signal) {
      const { fetchDocument, readDocument } = await loadReaders();
      const page = await fetchDocument(url, { ...marks, allowPrivate, signal }).catch(withRemedy);
      if (page.type === "unchanged") return page;
      const { bytes, name, mediaType, etag, lastModified } = page;
      const document = await readDocument({ bytes, name, signal, ...(mediaType !== undefined && { mediaType }) });
      return {
        type: "read",
        knowledge: await toKnowledge(document),
        ...(etag !== undefined && { etag }),
        ...(lastModified !== undefined && { lastModified }),
      };
    },
    async readText(text, signal) {
      const { readDocument } = await loadReaders();
      const bytes = new TextEncoder().encode(text);
      return toKnowledge(await readDocument({ bytes, name: "text.txt", mediaType: "text/plain", signal }));
    },
  };
}

/** The readers know nothing of our environment. */
function withRemedy(error: unknown): never {
  if (!(error instanceof Error) || !error.message.includes("(allowPrivate)")) throw error;
  const told = error.message.replace(/allow private addresses \(allowPrivate\)/u, "set TROUPE_ALLOW_PRIVATE_URLS=true");
  throw new TroupeError("invalid", told, { cause: error });
}

async function toKnowledge(document: ReadDocument): Promise<ReadKnowledge> {
  const { cutIntoFragments } = await loadReaders();
  const fragments = cutIntoFragments(document).map(({ text, place }) => ({ text, place }));
  const { mediaType, title, warnings } = document;
  return {
    mediaType,
    hash: hash("sha256", JSON.stringify([title, fragments])),
    fragments,
    warnings,
    ...(title !== undefined && { title }),
  };
}
