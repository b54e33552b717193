import { DatabaseSync } from "node:sqlite";

// The floor of `start`: opens the file named first, as the store does, reads once, says so, and waits to be ended.
const database = new DatabaseSync(process.argv[2] ?? ":memory:");
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -8192");
database.prepare("select count(*) from sqlite_schema").get();
process.stderr.write('"ready"\n');
setInterval(() => undefined, 1_000_000);
