/** One line of a log: fields first, then a short text. Never a user's text or a secret at info or above. */
export type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The logger every part is handed. Structurally a pino logger; see STYLE: error, warn, info, debug. */
export interface Log {
  readonly error: LogLine;
  readonly warn: LogLine;
  readonly info: LogLine;
  readonly debug: LogLine;
  child(bindings: Readonly<Record<string, unknown>>): Log;
}

const nothing: LogLine = () => undefined;

/** A log that says nothing. */
export const silentLog: Log = {
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  child: () => silentLog,
};
