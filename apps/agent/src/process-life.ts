import type { CommandContext } from "./commands/context.ts";
import { usualGraceMs } from "./compose.ts";
import { beginLife, type Life } from "./life.ts";

/** Beside the time given to what is under way, for everything else there is to close. */
const closingMs = 1_800;

/** The life of this process, told about on standard error. */
export function beginProcessLife({ config, err }: CommandContext): Life {
  return beginLife({
    process,
    now: () => performance.now(),
    closeWithinMs: (config.values.TROUPE_STOP_GRACE_MS ?? usualGraceMs) + closingMs,
    report: (message, error) => {
      const stack = config.logLevel === "debug" && error instanceof Error ? `\n${error.stack}` : "";
      err.write(`troupe: ${message}${stack}\n`);
    },
  });
}
