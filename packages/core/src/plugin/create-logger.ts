import type { Log } from "../log.ts";
import type { PluginLogger } from "./runtime.ts";

/** The log of one plugin: the given one, with the plugin's name on every line. */
export function createPluginLogger(log: Log, plugin: string | undefined): PluginLogger {
  const own: Log & { level?: unknown } = plugin === undefined ? log.child({}) : log.child({ plugin });
  return {
    // Asked for at every line: a log that changes its level may change its functions.
    error: (fields, message) => own.error(fields, message),
    warn: (fields, message) => own.warn(fields, message),
    info: (fields, message) => own.info(fields, message),
    debug: (fields, message) => own.debug(fields, message),
    child: (bindings) => own.child(bindings),
    setLevel(level) {
      if (typeof own.level !== "string") return false;
      own.level = level;
      return own.level === level;
    },
  };
}
