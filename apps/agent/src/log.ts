import type { Log } from "@troupe/core";
import { pino } from "pino";
import type { LogLevel } from "./config.ts";
import type { LogSink } from "./log-file.ts";

/** A log and what belongs to its life. */
export type ProgramLog = {
  readonly log: Log;
  /** From now on these values never appear in it. */
  keepSecret(values: readonly string[]): void;
  close(): void;
};

/** Too short a value would be found in innocent words. */
const shortestSecret = 6;
const hidden = "[redacted]";

/** Fields that hold keys, or what people said. */
const hiddenFields = [
  ...["apiKey", "authorization", "cookie", "key", "password", "secret", "secrets", "token"],
  ...["content", "prompt", "text"],
];

/** A log of lines of JSON that goes to a sink. */
export function createLog(sink: LogSink, level: LogLevel, secrets: readonly string[] = []): ProgramLog {
  const known = new Set<string>();
  const keepSecret = (values: readonly string[]): void => {
    for (const value of values) {
      if (value.length < shortestSecret) continue;
      known.add(value).add(JSON.stringify(value).slice(1, -1)).add(encodeURIComponent(value));
    }
  };
  keepSecret(secrets);
  const write = (line: string): void => {
    let clean = line;
    for (const secret of known) clean = clean.replaceAll(secret, hidden);
    sink.write(clean);
  };
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...hiddenFields, ...hiddenFields.map((field) => `*.${field}`)], censor: hidden },
      serializers: {
        err: (error: unknown) => describeError(error, level === "debug"),
        error: (error: unknown) => describeError(error, level === "debug"),
      },
    },
    { write },
  );
  return { log, keepSecret, close: () => sink.close() };
}

/** An error as a log shows it; where it happened only for whoever looks for a defect. */
function describeError(error: unknown, withStack: boolean): unknown {
  if (!(error instanceof Error)) return error;
  return {
    name: error.name,
    message: error.message,
    ...("code" in error && { code: error.code }),
    ...(error.cause !== undefined && { cause: describeError(error.cause, withStack) }),
    ...(withStack && { stack: error.stack }),
  };
}
