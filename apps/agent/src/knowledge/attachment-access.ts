import type { AttachmentAccess } from "@troupe/core/attachment";
import type { AccessOptions } from "./knowledge-access.ts";

const loadReaders = (): Promise<typeof import("@troupe/documents")> => import("@troupe/documents");

/** Pieces so large that little is repeated between them. */
const pieceTokens = 2_000;

/** Files that come with messages, from public addresses only, read by the readers of documents. */
export function createAttachmentAccess({ allowPrivate = false }: AccessOptions = {}): AttachmentAccess {
  return {
    async fetch(url, { maxSizeBytes, signal }) {
      const { fetchDocument } = await loadReaders();
      const file = await fetchDocument(url, { limits: { sizeBytes: maxSizeBytes }, allowPrivate, signal });
      // Nothing was known of it before, so it is sent whole; a server that says otherwise sends nothing.
      if (file.type === "unchanged") return { bytes: new Uint8Array() };
      const { bytes, mediaType } = file;
      return { bytes, ...(mediaType !== undefined && { mediaType }) };
    },
    async readDocument({ bytes, name, mediaType, signal }) {
      const { cutIntoFragments, readDocument } = await loadReaders();
      const document = await readDocument({ bytes, name, signal, ...(mediaType !== undefined && { mediaType }) });
      const text = cutIntoFragments(document, { targetTokens: pieceTokens })
        .map((piece) => piece.text)
        .join("\n\n");
      return { text, ...(document.title !== undefined && { title: document.title }) };
    },
  };
}
