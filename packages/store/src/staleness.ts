import type { DatabaseSync } from "node:sqlite";
import { prepare } from "./statement.ts";

/** Whether another process has written since the last time this was asked: what is remembered of the file is then outdated. */
export type IsStale = () => boolean;

/** For a reader beside the process that owns the file; whoever owns it knows of every change. */
export function createStaleness(database: DatabaseSync, readOnly: boolean): IsStale {
  if (!readOnly) return () => false;
  const version = prepare<readonly [number]>(database, "pragma data_version");
  let last = version.get()?.[0];
  return () => {
    const now = version.get()?.[0];
    const isChanged = now !== last;
    last = now;
    return isChanged;
  };
}
