import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { Refusal, toFailure } from "./errors.ts";

const context = { path: "/home/ann/.troupe/troupe.db" };

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("from sqlite"), { code: "ERR_SQLITE_ERROR", errcode });
}

function systemError(code: string): Error {
  return Object.assign(new Error("from the system"), { code });
}

const full = /disk or quota is full; make room/;
const readOnly = /read-only for this user; make the file and its directory writable/;
const damaged = /damaged or is not a database of Troupe; restore a backup, or move the file/;
const locked = /locked by another process; stop that process/;
const unopenable = /cannot be opened; check that the path/;

/** @see https://sqlite.org/rescode.html */
const table: readonly (readonly [string, Error, string, RegExp])[] = [
  ["SQLITE_BUSY", sqliteError(5), "unavailable", locked],
  ["SQLITE_LOCKED", sqliteError(6), "unavailable", locked],
  ["SQLITE_BUSY_SNAPSHOT", sqliteError(517), "unavailable", locked],
  ["SQLITE_NOMEM", sqliteError(7), "exhausted", /not enough memory/],
  ["SQLITE_READONLY", sqliteError(8), "unavailable", readOnly],
  ["SQLITE_READONLY_DIRECTORY", sqliteError(1544), "unavailable", readOnly],
  ["SQLITE_IOERR_WRITE", sqliteError(778), "unavailable", /check the disk/],
  ["SQLITE_IOERR_SHMSIZE", sqliteError(4874), "exhausted", full],
  ["SQLITE_IOERR_DATA", sqliteError(8202), "corrupt", damaged],
  ["SQLITE_CORRUPT", sqliteError(11), "corrupt", damaged],
  ["SQLITE_CORRUPT_VTAB", sqliteError(267), "corrupt", damaged],
  ["SQLITE_FULL", sqliteError(13), "exhausted", full],
  ["SQLITE_CANTOPEN", sqliteError(14), "unavailable", unopenable],
  ["SQLITE_TOOBIG", sqliteError(18), "invalid", /too large/],
  ["SQLITE_CONSTRAINT_NOTNULL", sqliteError(1299), "invalid", /wrong type or is missing/],
  ["SQLITE_NOTADB", sqliteError(26), "corrupt", damaged],
  ["ENOSPC", systemError("ENOSPC"), "exhausted", full],
  ["EDQUOT", systemError("EDQUOT"), "exhausted", full],
  ["EACCES", systemError("EACCES"), "unavailable", readOnly],
  ["EROFS", systemError("EROFS"), "unavailable", readOnly],
  ["EPERM", systemError("EPERM"), "unavailable", readOnly],
  ["ENOTDIR", systemError("ENOTDIR"), "unavailable", unopenable],
  ["a defect", new TypeError("x is undefined"), "internal", /the store failed: x is undefined/],
  ["a thrown text", Object.assign(new Error("boom"), { errcode: "13" }), "internal", /boom/],
];

describe("toFailure", () => {
  it.each(table)("tells %s with its remedy", (_, error, code, message) => {
    const failure = toFailure(error, context);
    expect(failure.code).toBe(code);
    expect(failure.message).toMatch(message);
  });

  it("names the file and says when to try again", () => {
    expect(toFailure(sqliteError(13), context).message).toContain(context.path);
    expect(toFailure(sqliteError(5), context).retryAfterMs).toBe(1000);
  });

  it("hands a refusal of our own on as it is", () => {
    const refusal = new Refusal("conflict", "somebody was faster; read again");
    expect(toFailure(refusal, context)).toEqual({ code: "conflict", message: "somebody was faster; read again" });
  });

  it("reads the codes node:sqlite really sets", () => {
    const database = new DatabaseSync(":memory:");
    database.exec("create table t(a integer not null) strict; pragma max_page_count = 3");
    const failing = (sql: string): string => {
      try {
        database.exec(sql);
        return "no error";
      } catch (error) {
        return toFailure(error, context).code;
      }
    };
    expect(failing("insert into t values(null)")).toBe("invalid");
    expect(failing("insert into t values('word')")).toBe("invalid");
    expect(failing("create table u(a) strict")).toBe("internal");
    expect(failing("create table u(a any) strict; insert into u values(zeroblob(9000))")).toBe("exhausted");
    database.close();
  });
});
