import type { Command } from "commander";
import type { ContextsFlags } from "../view/contexts.ts";
import { jsonOption, limitOption } from "../view/options.ts";
import type { ExportFlags, ImportFlags } from "../view/transfer-contexts.ts";
import type { CommandContext } from "./context.ts";

/** Declares `contexts`: what characters keep of the contexts they think in, and moving it elsewhere. */
export function addContextsCommand(program: Command, context: CommandContext): void {
  const contexts = program.command("contexts").description("what characters keep of the contexts they think in");
  contexts
    .command("list", { isDefault: true })
    .description("the contexts, lately changed first")
    .option("-t, --type <type>", "only contexts of this type")
    .addOption(limitOption(50))
    .addOption(jsonOption())
    .action(async (flags: ContextsFlags) => (await import("../view/contexts.ts")).listContexts(context, flags));
  contexts
    .command("show")
    .description("one context whole, with its state and its last episodes")
    .argument("<context>", "its id, a beginning of it, its key, or type/key")
    .addOption(jsonOption())
    .action(async (wanted: string, flags: { readonly json?: boolean }) =>
      (await import("../view/contexts.ts")).showContext(context, wanted, flags),
    );
  contexts
    .command("export")
    .description("states and episodes of one character as lines of JSON")
    .argument("[file]", "a file that does not exist yet; standard output if absent")
    .option("-t, --type <type>", "only contexts of this type, with what happened in them")
    .option("--no-episodes", "states alone")
    .action(async (file: string | undefined, flags: ExportFlags) =>
      (await import("../view/transfer-contexts.ts")).exportContexts(context, file, flags),
    );
  contexts
    .command("import")
    .description("take what was exported, also by another character; the agent must not be running")
    .argument("<file>", "what export wrote")
    .option("--replace", "replace the states of contexts that are there already")
    .addOption(jsonOption())
    .action(async (file: string, flags: ImportFlags) =>
      (await import("../view/transfer-contexts.ts")).importContexts(context, file, flags),
    );
}
