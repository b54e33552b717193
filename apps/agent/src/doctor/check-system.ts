import { broken, type Finding, fine } from "./finding.ts";

const leastNode = [24, 15] as const;
const leastSqlite = [3, 51, 3] as const;

/** Looks at the versions of Node and of the SQLite it brings. */
export function checkSystem(versions: {
  readonly node: string;
  readonly sqlite?: string | undefined;
}): readonly Finding[] {
  const node = isAtLeast(versions.node, leastNode)
    ? fine("node", `Node ${versions.node}`)
    : broken(
        "node",
        `Node ${versions.node} is too old`,
        `use Node ${leastNode.join(".")} or newer from https://nodejs.org`,
      );
  const sqlite = versions.sqlite ?? "0";
  if (isAtLeast(sqlite, leastSqlite)) return [node, fine("sqlite", `SQLite ${sqlite}`)];
  const remedy = `use a Node that brings SQLite ${leastSqlite.join(".")} or newer: 24.15 and later do`;
  return [node, broken("sqlite", `SQLite ${sqlite} can damage a database that two connections write to`, remedy)];
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split(".").map(Number);
  for (const [at, wanted] of least.entries()) {
    const part = parts[at] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
