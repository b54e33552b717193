import { hash } from "node:crypto";
import type { KnowledgeSource } from "../character/character.ts";

/** What a source is known by, for ever: where it lies, or what it says. Two sources of one key are one. */
export function sourceKey(source: KnowledgeSource): string {
  switch (source.kind) {
    case "text":
      return `text:${hash("sha256", source.text)}`;
    case "file":
      return `file:${source.path}`;
    case "directory":
      return `directory:${source.directory}`;
    case "url":
      return `url:${source.url}`;
  }
}

/** Where it lies, as people write it; a text lies in the character's file. */
export function sourceName(source: KnowledgeSource): string {
  switch (source.kind) {
    case "text":
      return "the character file";
    case "file":
      return source.path;
    case "directory":
      return source.directory;
    case "url":
      return source.url;
  }
}

/** Whether it is for all agents of the home. A text is its character's own. */
export function isShared(source: KnowledgeSource): boolean {
  return source.kind !== "text" && source.shared;
}
