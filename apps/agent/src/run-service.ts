import type { CommandContext } from "./commands/context.ts";
import { startAgents } from "./compose.ts";
import { beginProcessLife } from "./process-life.ts";
import { readableLine } from "./readable-line.ts";
import { untilAborted } from "./until-aborted.ts";

const keepAliveMs = 2 ** 30;

/** Runs the characters until a signal ends them; what was under way is gone on with first. */
export async function runService(context: CommandContext): Promise<void> {
  const { err, config } = context;
  const life = beginProcessLife(context);
  // Idle agents hold nothing that keeps a process alive.
  const awake = setInterval(() => undefined, keepAliveMs);
  life.onClose("the wait", () => clearInterval(awake));
  try {
    const { players, log } = await startAgents(context, life, {
      command: "start",
      usualLogLevel: "info",
      openLogSink: () => ({
        write: (line) => err.write(process.stderr.isTTY ? readableLine(line, config) : line),
        close: () => undefined,
      }),
      isOnPlatforms: true,
      connect: async () => () => [],
      listen: () => undefined,
    });
    const unreachable = players.filter(({ clients }) => clients.length === 0).map(({ character }) => character.name);
    if (unreachable.length > 0) {
      log.warn(
        {},
        `${unreachable.join(", ")} cannot be reached by anybody: set a platform's token in .env (see .env.example), or talk in this terminal with: npm start`,
      );
    }
    await untilAborted(life.stopping);
    log.info({ reason: life.reason() }, "stopping");
  } finally {
    await life.close();
  }
  if (life.reason()?.type === "defect") context.setExitCode(1);
}
