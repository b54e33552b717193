import type { Command } from "commander";
import type { CommandContext } from "./context.ts";

type Flags = { readonly json?: boolean };

/** Declares `characters`: what character files there are, whether they are right, and what the engine makes of them. */
export function addCharactersCommand(program: Command, context: CommandContext): void {
  const characters = program.command("characters").description("list, check and show character files");
  characters
    .command("list", { isDefault: true })
    .description("the files in characters/ and those in use")
    .option("--json", "print it as JSON")
    .action(async (flags: Flags) => (await import("../view/characters.ts")).listCharacters(context, flags));
  characters
    .command("validate")
    .description("check files, or all in a directory: every mistake with its place and remedy, and what nothing reads")
    .argument("[file...]", "character files or directories; all of characters/ when none is named")
    .option("--json", "print it as JSON")
    .action(async (files: readonly string[], flags: Flags) =>
      (await import("../view/characters.ts")).validateCharacters(context, files, flags),
    );
  characters
    .command("show")
    .description("print a character as the engine sees it, as JSON; secrets are not shown")
    .argument("<file>", "a character file, or the name of one in characters/")
    .action(async (file: string) => (await import("../view/characters.ts")).showCharacter(context, file));
  characters
    .command("schema")
    .description("print the form of a character file as JSON Schema, for editors")
    .action(async () => (await import("../view/characters.ts")).showCharacterSchema(context));
}
