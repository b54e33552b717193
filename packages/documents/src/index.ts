export { type CutOptions, cutIntoFragments, type Fragment } from "./cut/cut-into-fragments.ts";
export {
  type DocumentList,
  type ListedDocument,
  type ListLimits,
  type ListOptions,
  listDocuments,
  type SkippedDocument,
} from "./directory/list-documents.ts";
export type { Block, BlockKind, BlockPlace, DocumentFormat, Range, ReadDocument } from "./document.ts";
export { DocumentError, type DocumentProblem } from "./errors.ts";
export {
  type FetchDocumentOptions,
  type FetchedDocument,
  type FetchLimits,
  fetchDocument,
} from "./fetch/fetch-document.ts";
export type { Fetch, FetchOptions } from "./fetch/public-fetch.ts";
export { defaultReadLimits, type ReadLimits } from "./limits.ts";
export { type ReadDocumentInput, readDocument, readDocumentFile } from "./read-document.ts";
