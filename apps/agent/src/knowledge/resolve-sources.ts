import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { KnowledgeSource } from "@troupe/core";
import { TroupeError } from "@troupe/core/errors";
import type { AddedSource } from "@troupe/core/knowledge";

/** A character's sources with absolute paths; they are written relative to the character's file. */
export function resolveSources(sources: readonly KnowledgeSource[], characterPath: string): readonly KnowledgeSource[] {
  const from = dirname(characterPath);
  return sources.map((source) => {
    switch (source.kind) {
      case "text":
      case "url":
        return source;
      case "directory":
        return { ...source, directory: resolve(from, source.directory) };
      case "file": {
        const path = resolve(from, source.path);
        const { shared } = source;
        return isDirectory(path) ? { kind: "directory", directory: path, shared } : { kind: "file", path, shared };
      }
    }
  });
}

/**
 * What somebody wrote on the command line as a source: an address on the web, a file or a directory.
 * @throws TroupeError `not_found` when nothing lies there, `invalid` when it is neither.
 */
export function toSource(
  written: string,
  { workingPath, shared }: { readonly workingPath: string; readonly shared: boolean },
): AddedSource {
  if (/^https?:\/\//iu.test(written)) {
    if (URL.canParse(written)) return { kind: "url", url: new URL(written).href, shared };
    throw new TroupeError("invalid", `${written} is no address on the web; correct it.`);
  }
  const path = resolve(workingPath, written);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { kind: "directory", directory: path, shared };
  if (stats?.isFile()) return { kind: "file", path, shared };
  if (stats) throw new TroupeError("invalid", `${path} is neither a file nor a directory.`);
  throw new TroupeError(
    "not_found",
    `There is no file or directory ${path}; name one, or an address that begins with https://`,
  );
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
