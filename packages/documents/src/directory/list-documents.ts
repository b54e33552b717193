import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, matchesGlob, relative, sep } from "node:path";
import { extensionOf, formatOfName } from "../detect/extensions.ts";
import { DocumentError, documentLabel, formatBytes, throwIfAborted } from "../errors.ts";

/** How much a directory may hold. */
export type ListLimits = {
  /** Documents listed. Default 10,000. */
  readonly documents: number;
  /** All listed documents together. Default 2 GB. */
  readonly totalBytes: number;
  /** One document; larger ones are skipped by name. Default 20 MB. */
  readonly sizeBytes: number;
};

/** Which files of a directory are wanted. Patterns are globs over the path below it with `/`: `guides/**` or `*.md`. */
export type ListOptions = {
  /** Default: every file with a readable extension, or without any. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly limits?: Partial<ListLimits>;
  readonly signal?: AbortSignal;
};

/** A file that can be read. */
export type ListedDocument = {
  /** Below the directory, with `/`; stable, so fit for an id. */
  readonly path: string;
  readonly absolutePath: string;
  readonly sizeBytes: number;
  /** With the size it tells an edited file from an unchanged one without reading it. */
  readonly modifiedAtMs: number;
};

/** A wanted file that is not listed, and why, as an end of a sentence: "leads out of the directory". */
export type SkippedDocument = { readonly path: string; readonly reason: string };

/** A directory's documents, both lists sorted by path. */
export type DocumentList = {
  readonly documents: readonly ListedDocument[];
  readonly skipped: readonly SkippedDocument[];
};

const defaultListLimits: ListLimits = { documents: 10_000, totalBytes: 2_000_000_000, sizeBytes: 20_000_000 };

type Walk = {
  /** The directory itself, links resolved: nothing outside is read. */
  readonly root: string;
  readonly label: string;
  readonly options: ListOptions;
  readonly limits: ListLimits;
  readonly documents: Map<string, ListedDocument>;
  readonly skipped: SkippedDocument[];
  /** Real paths of files and directories already seen. */
  readonly seen: Set<string>;
  readonly links: string[];
  totalBytes: number;
};

/**
 * Lists the documents below a directory. Hidden files, `node_modules` and what no reader knows are left out; links are followed
 * within the directory only, and no file is listed twice.
 * @throws DocumentError `not-found`, `too-many-documents`, `too-large`, `aborted`
 */
export async function listDocuments(directory: string, options: ListOptions = {}): Promise<DocumentList> {
  const label = documentLabel(directory);
  const walk: Walk = {
    root: await rootOf(directory, label),
    label,
    options,
    limits: { ...defaultListLimits, ...options.limits },
    documents: new Map(),
    skipped: [],
    seen: new Set(),
    links: [],
    totalBytes: 0,
  };
  await walkDirectory(walk, "");
  // Links after files: what can be listed by its own name is. Directories behind links may hold further ones.
  for (const path of walk.links) await followLink(walk, path);
  const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
  return { documents: [...walk.documents.values()].sort(byPath), skipped: walk.skipped.sort(byPath) };
}

async function rootOf(directory: string, label: string): Promise<string> {
  try {
    const root = await realpath(directory);
    if ((await stat(root)).isDirectory()) return root;
  } catch (cause) {
    throw new DocumentError("not-found", `${label} does not exist or cannot be opened: name a directory`, { cause });
  }
  throw new DocumentError("not-found", `${label} is not a directory: name a directory, or read it as a file`);
}

async function walkDirectory(walk: Walk, below: string): Promise<void> {
  throwIfAborted(walk.options.signal, walk.label);
  const absolute = join(walk.root, below);
  walk.seen.add(await realpath(absolute));
  const entries = await entriesOf(walk, below);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules" || isExcluded(walk, path)) continue;
    if (entry.isSymbolicLink()) walk.links.push(path);
    else if (entry.isDirectory()) await walkDirectory(walk, path);
    else if (entry.isFile()) await addFile(walk, path);
  }
}

async function entriesOf(walk: Walk, below: string): Promise<Dirent[]> {
  try {
    return await readdir(join(walk.root, below), { withFileTypes: true });
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    walk.skipped.push({ path: below === "" ? "." : below, reason: "may not be read by this process" });
    return [];
  }
}

async function followLink(walk: Walk, path: string): Promise<void> {
  throwIfAborted(walk.options.signal, walk.label);
  const target = await realpath(join(walk.root, path)).catch(() => undefined);
  if (target === undefined) walk.skipped.push({ path, reason: "is a link that leads nowhere" });
  else if (target !== walk.root && !target.startsWith(walk.root + sep)) {
    walk.skipped.push({ path, reason: "is a link that leads out of the directory" });
  } else if (!walk.seen.has(target) && !isHiddenWithin(relative(walk.root, target))) {
    const stats = await stat(target);
    if (stats.isDirectory()) await walkDirectory(walk, path);
    else if (stats.isFile()) await addFile(walk, path);
  }
}

async function addFile(walk: Walk, path: string): Promise<void> {
  const absolutePath = join(walk.root, path);
  if (!isWanted(walk, path)) return;
  const target = await realpath(absolutePath);
  if (walk.seen.has(target)) return;
  walk.seen.add(target);
  const { size: sizeBytes, mtimeMs: modifiedAtMs } = await lstat(target);
  const { limits } = walk;
  if (sizeBytes > limits.sizeBytes) {
    const reason = `is ${formatBytes(sizeBytes)} long and the limit is ${formatBytes(limits.sizeBytes)} (sizeBytes)`;
    walk.skipped.push({ path, reason });
    return;
  }
  walk.totalBytes += sizeBytes;
  walk.documents.set(path, { path, absolutePath, sizeBytes, modifiedAtMs });
  if (walk.documents.size > limits.documents) {
    throw new DocumentError(
      "too-many-documents",
      `${walk.label} holds more than ${limits.documents} documents (documents): exclude some, or raise the limit`,
    );
  }
  if (walk.totalBytes > limits.totalBytes) {
    throw new DocumentError(
      "too-large",
      `the documents in ${walk.label} are more than ${formatBytes(limits.totalBytes)} together (totalBytes): exclude some, or raise the limit`,
    );
  }
}

/** With `include` what it names; else what a reader knows by name. Readable names of other kinds are told, not silently dropped. */
function isWanted({ options, skipped }: Walk, path: string): boolean {
  if (options.include !== undefined) return options.include.some((pattern) => matchesGlob(path, pattern));
  const extension = extensionOf(path);
  if (extension === undefined || formatOfName(path) !== undefined) return true;
  skipped.push({ path, reason: `is of a kind that cannot be read (.${extension})` });
  return false;
}

function isExcluded({ options }: Walk, path: string): boolean {
  return options.exclude?.some((pattern) => matchesGlob(path, pattern)) === true;
}

function isHiddenWithin(path: string): boolean {
  return path.split(sep).some((part) => part.startsWith(".") || part === "node_modules");
}

function isForbidden(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "EACCES" || cause.code === "EPERM");
}
