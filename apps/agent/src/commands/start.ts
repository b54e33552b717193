import type { Command } from "commander";
import type { CommandContext } from "./context.ts";

/** Declares `start`: agents without a conversation in this terminal, until a signal ends them. */
export function addStartCommand(program: Command, context: CommandContext): void {
  program
    .command("start")
    .description("run the characters without a conversation in this terminal, until Ctrl-C or SIGTERM")
    .action(async () => {
      const { runService } = await import("../run-service.ts");
      await runService(context);
    });
}
