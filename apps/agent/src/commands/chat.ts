import { type Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "./context.ts";

type ChatFlags = { readonly once?: boolean };

const examples = `
Examples:
  npm start                                             talk to the default character
  npm start -- --character ada --character nadir        talk to two at once; @name says whom you mean
  echo hi | npm start -s -- chat --once                 print one reply, nothing else`;

/** Declares `chat`, which is also what runs when no command is named: a conversation in this terminal. */
export function addChatCommand(program: Command, context: CommandContext): void {
  program
    .command("chat")
    .description("talk to the characters in this terminal (also when no command is given)")
    .argument("[text]", "what to say, with --once; without it everything on standard input is the message", notBlank)
    .option("--once", "send one message, print the reply and nothing else, and end")
    .addHelpText("after", examples)
    .action(async (text: string | undefined, flags: ChatFlags, command: Command) => {
      if (text !== undefined && !flags.once) {
        command.error(`error: to say something from the command line, add --once: chat --once ${JSON.stringify(text)}`);
      }
      const { runConversation, runOnce } = await import("../run-conversation.ts");
      await (flags.once ? runOnce(context, text) : runConversation(context));
    });
}

function notBlank(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("There is nothing to say in it.");
  return text;
}
