import type { DatabaseSync } from "node:sqlite";

/** At most this many findings are told. */
const maxFindings = 10;

/**
 * What is wrong with a database, one sentence each. Quick: the structure of every table. `deep`: that indexes agree with
 * their tables too, and that contexts count their waiting inputs rightly.
 */
export function checkPages(database: DatabaseSync, deep: boolean): readonly string[] {
  const pragma = deep ? "integrity_check" : "quick_check";
  const findings = database
    .prepare(`pragma ${pragma}(${maxFindings})`)
    .all()
    .map((row) => String(row[pragma]))
    .filter((finding) => finding !== "ok")
    .map((finding) => `the database is damaged: ${finding}; restore a backup, or move the file away to begin anew`);
  return deep && findings.length === 0 ? checkLanes(database) : findings;
}

function checkLanes(database: DatabaseSync): readonly string[] {
  const wrong = database
    .prepare(
      `select context_id, waiting, (
         select count(*) from inbox i
         where i.agent = l.agent and i.context_id = l.context_id and i.state = 'waiting'
       ) as counted from lane l where waiting <> counted limit ${maxFindings}`,
    )
    .all();
  return wrong.map(
    (row) => `context ${row.context_id} counts ${row.waiting} waiting inputs but has ${row.counted}; restore a backup`,
  );
}
