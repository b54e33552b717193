import type { Command } from "commander";
import type { MemoriesFlags } from "../view/memories.ts";
import { jsonOption, limitOption, roomOption } from "../view/options.ts";
import type { CommandContext } from "./context.ts";

/** Declares `memories`: what was heard and said, and where. */
export function addMemoriesCommand(program: Command, context: CommandContext): void {
  const memories = program.command("memories").description("what was heard and said");
  memories
    .command("list", { isDefault: true })
    .description("the newest messages, the newest last")
    .addOption(limitOption(30))
    .addOption(roomOption())
    .addOption(jsonOption())
    .action(async (flags: MemoriesFlags) => (await import("../view/memories.ts")).listMemories(context, flags));
  memories
    .command("search")
    .description("find messages that hold every word, in any script; the best first")
    .argument("<text...>", "the words")
    .option("--explain", "search as a character recalls, by any word and by meaning, and say why each memory came")
    .addOption(limitOption(20))
    .addOption(roomOption())
    .addOption(jsonOption())
    .action(async (words: readonly string[], flags: MemoriesFlags & { readonly explain?: boolean }) => {
      const text = words.join(" ");
      if (flags.explain === true)
        return (await import("../view/explain-search.ts")).explainSearch(context, text, flags);
      return (await import("../view/memories.ts")).searchMemories(context, text, flags);
    });
  memories
    .command("show")
    .description("one memory whole")
    .argument("<memory>", "its id, a beginning of it, the platform's id, a link, or last")
    .addOption(jsonOption())
    .action(async (memory: string, flags: { readonly json?: boolean }) =>
      (await import("../view/memories.ts")).showMemory(context, memory, flags),
    );
  memories
    .command("rooms")
    .description("the rooms something was heard in, lately used first")
    .addOption(limitOption(50))
    .addOption(jsonOption())
    .action(async (flags: Omit<MemoriesFlags, "room">) =>
      (await import("../view/memories.ts")).listRooms(context, flags),
    );
}
