import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import { errorMessage } from "@troupe/core/errors";

/** Somewhere the lines of a log go. Writing never throws: a full disk must not stop an agent. */
export type LogSink = { write(line: string): void; close(): void };

const sizeLimitBytes = 5_000_000;

/**
 * A file for log lines, its owner's alone, at most about 5 MB: what is longer becomes `….1`, and the one before that goes.
 * @throws Error of the system when the file cannot be opened.
 */
export function openLogFile(path: string, limitBytes: number = sizeLimitBytes): LogSink {
  let file = openSync(path, "a", 0o600);
  let sizeBytes = fstatSync(file).size;
  let lost = 0;
  const turnOver = (): void => {
    closeSync(file);
    renameSync(path, `${path}.1`);
    file = openSync(path, "a", 0o600);
    sizeBytes = 0;
  };
  const put = (line: string): void => {
    if (sizeBytes > limitBytes) turnOver();
    sizeBytes += writeSync(file, line);
  };
  return {
    write(line) {
      try {
        if (lost > 0)
          put(`${JSON.stringify({ level: "warn", msg: `${lost} lines before this one could not be written` })}\n`);
        put(line);
        lost = 0;
      } catch (error) {
        lost += 1;
        if (lost === 1) process.stderr.write(`The log ${path} cannot be written: ${errorMessage(error)}\n`);
      }
    },
    close() {
      closeSync(file);
    },
  };
}
