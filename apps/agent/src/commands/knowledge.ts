import type { Command } from "commander";
import type { AddFlags } from "../view/change-knowledge.ts";
import type { KnowledgeFlags, SearchKnowledgeFlags } from "../view/knowledge.ts";
import { jsonOption, limitOption } from "../view/options.ts";
import type { CommandContext } from "./context.ts";

/** Declares `knowledge`: the documents characters know, and what they find in them. */
export function addKnowledgeCommand(program: Command, context: CommandContext): void {
  const knowledge = program.command("knowledge").description("the documents characters know");
  knowledge
    .command("list", { isDefault: true })
    .description("what is known, how far it is read, and what cannot be read and why")
    .addOption(limitOption(200))
    .addOption(jsonOption())
    .action(async (flags: KnowledgeFlags) => (await import("../view/knowledge.ts")).listKnowledge(context, flags));
  knowledge
    .command("add")
    .description("a file, a directory or a page to know; the running agent reads it, else the next start does")
    .argument("<path-or-url>", "a path, or an address that begins with https://")
    .option("--shared", "for all characters of this home")
    .addOption(jsonOption())
    .action(async (written: string, flags: AddFlags) =>
      (await import("../view/change-knowledge.ts")).addToKnowledge(context, written, flags),
    );
  knowledge
    .command("search")
    .description("find fragments of documents; the best first")
    .argument("<text...>", "the words, or a question")
    .addOption(limitOption(10))
    .option("--explain", "search as a character does, by words and meaning, and say why each fragment came")
    .addOption(jsonOption())
    .action(async (words: readonly string[], flags: SearchKnowledgeFlags) =>
      (await import("../view/knowledge.ts")).searchKnowledge(context, words.join(" "), flags),
    );
  knowledge
    .command("remove")
    .description("take out what was added, and forget what it said")
    .argument("<id>", "its id, a beginning of it, or the path or address")
    .addOption(jsonOption())
    .action(async (wanted: string, flags: { readonly json?: boolean }) =>
      (await import("../view/change-knowledge.ts")).removeFromKnowledge(context, wanted, flags),
    );
}
