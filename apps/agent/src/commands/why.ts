import type { Command } from "commander";
import { jsonOption } from "../view/options.ts";
import type { WhyFlags } from "../view/why.ts";
import type { CommandContext } from "./context.ts";

const message = "a memory's id or a beginning of it, the platform's id, a link, a delivery's key, or last";

/** Declares `why` and `why-not`: what caused an answer, or a silence. */
export function addWhyCommand(program: Command, context: CommandContext): void {
  const declare = (name: string, description: string): void => {
    program
      .command(name)
      .description(description)
      .argument("<message>", message)
      .addOption(jsonOption())
      .action(async (wanted: string, flags: WhyFlags) =>
        (await import("../view/why.ts")).explain(context, wanted, flags),
      );
  };
  declare("why", "what caused an answer: the message, the decision, the model, the actions");
  declare("why-not", "what became of a message: answered, waiting, ignored, failed, or never heard");
}
