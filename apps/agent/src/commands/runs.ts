import type { Command } from "commander";
import { jsonOption, limitOption, roomOption } from "../view/options.ts";
import type { RunsFlags, ShowRunFlags } from "../view/runs.ts";
import type { CommandContext } from "./context.ts";

/** Declares `runs`: what was answered and how, from the journal. */
export function addRunsCommand(program: Command, context: CommandContext): void {
  const runs = program.command("runs").description("what was answered, with which model, at what cost");
  runs
    .command("list", { isDefault: true })
    .description("the newest runs, newest first")
    .addOption(limitOption(20))
    .addOption(roomOption())
    .addOption(jsonOption())
    .action(async (flags: RunsFlags) => (await import("../view/runs.ts")).listRuns(context, flags));
  runs
    .command("show")
    .description("a run's journal: what was heard, decided, asked, answered, done and delivered")
    .argument("<run>", "a run's id, a beginning of it, or last")
    .option("--prompt", "with the whole text of every prompt")
    .option("--raw", "with every answer as the model wrote it")
    .addOption(jsonOption())
    .action(async (run: string, flags: ShowRunFlags) => (await import("../view/runs.ts")).showRun(context, run, flags));
}
