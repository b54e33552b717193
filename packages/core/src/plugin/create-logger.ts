import type { Log } from "../log.ts";
import type { PluginLogger } from "./runtime.ts";

type Levelled = Log & { level?: unknown };

/** The log of one plugin: the given one, with the plugin's name on every line. */
export function createPluginLogger(log: Log, plugin: string | undefined): PluginLogger {
  const own: Levelled = plugin === undefined ? log.child({}) : log.child({ plugin });
  return {
    // Asked for at every line: a log that changes its level may change its functions.
    error: (fields, message) => own.error(fields, message),
    warn: (fields, message) => own.warn(fields, message),
    info: (fields, message) => own.info(fields, message),
    debug: (fields, message) => own.debug(fields, message),
    child: (bindings) => following(() => own, own.child(bindings)),
    setLevel(level) {
      if (typeof own.level !== "string") return false;
      own.level = level;
      return own.level === level;
    },
  };
}

/** A child that is as loud as its parent is at the moment, also when the parent changed after the child was made. */
function following(parent: () => Levelled, made: Levelled): Log {
  const now = (): Levelled => {
    const { level } = parent();
    if (typeof level === "string" && made.level !== level) made.level = level;
    return made;
  };
  return {
    error: (fields, message) => now().error(fields, message),
    warn: (fields, message) => now().warn(fields, message),
    info: (fields, message) => now().info(fields, message),
    debug: (fields, message) => now().debug(fields, message),
    child: (bindings) => following(now, now().child(bindings)),
  };
}
