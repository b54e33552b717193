import type { Command } from "commander";
import type { CommandContext } from "./context.ts";

/** Declares `create`: beginnings of what one writes oneself. */
export function addCreateCommand(program: Command, context: CommandContext): void {
  const create = program.command("create").description("begin something of your own");
  create
    .command("plugin")
    .description(
      "write a plugin that works, with a test: an action with parameters and a provider, to change into yours",
    )
    .argument("<name>", "what it is called, e.g. weather")
    .option("--directory <directory>", "the folder in which its folder is made (default: packages in the project)")
    .action(async (name: string, flags: { readonly directory?: string }) =>
      (await import("../plugins/create-plugin.ts")).createPlugin(context, name, flags),
    );
}
