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
      connect: async () => () => [],
      listen: () => undefined,
    });
    const names = players.map(({ character }) => character.name).join(", ");
    log.warn(
      {},
      `${names} run without a client: nobody can reach them; the terminal is the only client there is yet, so use: npm start`,
    );
    await untilAborted(life.stopping);
    log.info({ reason: life.reason() }, "stopping");
  } finally {
    await life.close();
  }
  if (life.reason()?.type === "defect") context.setExitCode(1);
}
