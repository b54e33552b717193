import { Command, CommanderError, Option } from "commander";
import packageFile from "../package.json" with { type: "json" };
import { addCharactersCommand } from "./commands/characters.ts";
import { addChatCommand } from "./commands/chat.ts";
import type { CommandContext } from "./commands/context.ts";
import { addContextsCommand } from "./commands/contexts.ts";
import { addCreateCommand } from "./commands/create.ts";
import { addDeliveriesCommand } from "./commands/deliveries.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addKnowledgeCommand } from "./commands/knowledge.ts";
import { addMemoriesCommand } from "./commands/memories.ts";
import { addRunsCommand } from "./commands/runs.ts";
import { addSimulateCommand } from "./commands/simulate.ts";
import { addStartCommand } from "./commands/start.ts";
import { addTasksCommand } from "./commands/tasks.ts";
import { addWhyCommand } from "./commands/why.ts";

/** A command line that was declared and can be run once. */
export type CommandLine = {
  readonly program: Command;
  /** @throws CommanderError when help was shown or the line is wrong; whatever a command throws. */
  run(args: readonly string[]): Promise<void>;
};

const closing = `
Called from the project's directory: npm start (chat), npm start -- chat --help, npm run -s troupe -- runs

Exit codes:
  0    done
  1    something failed; standard error says what, and the remedy
  2    the command line or a setting is wrong
  130  ended by Ctrl-C before it was done    143  ended by SIGTERM

Settings are read from the environment and from .env; .env.example explains each.`;

/** A program without commands. */
export function createProgram(): Command {
  return declareFlags(new Command("troupe"))
    .description("Characters that live in your terminal, and remember.")
    .version(packageFile.version, "-V, --version", "print the version")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", closing)
    .showHelpAfterError("troupe --help lists the commands and flags.")
    .exitOverride();
}

/** Declares every command and says how a line is run: without a command it is `chat`. */
export function declareCommands(
  program: Command,
  context: CommandContext,
  beforeCommand: (name: string) => Promise<void>,
): CommandLine {
  program.hook("preAction", (_, command) => beforeCommand(command.name()));
  addChatCommand(program, context);
  addStartCommand(program, context);
  addSimulateCommand(program, context);
  addDoctorCommand(program, context);
  addCharactersCommand(program, context);
  addWhyCommand(program, context);
  addRunsCommand(program, context);
  addMemoriesCommand(program, context);
  addKnowledgeCommand(program, context);
  addTasksCommand(program, context);
  addContextsCommand(program, context);
  addDeliveriesCommand(program, context);
  addCreateCommand(program, context);
  return {
    program,
    async run(args) {
      await program.parseAsync(withDefaultCommand(args), { from: "user" });
    },
  };
}

function declareFlags(command: Command): Command {
  return command
    .option("-c, --character <file>", "a character file, or the name of one in characters/; may be repeated", collect)
    .option("--home <directory>", "where everything is kept (default: TROUPE_HOME, else .troupe in the project)")
    .option("--log-level <level>", "debug, info, warn, error or silent (default: LOG_LEVEL)")
    .option("-m, --model <provider:name>", "the model for all characters, e.g. ollama:llama3.2, or offline")
    .option("--no-colour", "no colours (also: NO_COLOR)")
    .addOption(new Option("--no-color").hideHelp());
}

function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** A line that names no command, and does not ask for help either, is a conversation. */
function withDefaultCommand(args: readonly string[]): readonly string[] {
  const read = readFlags(args);
  // What is wrong with the line is told when it is read in earnest.
  if (read === undefined) return ["chat", ...args];
  const isAsking = read.unknown.some((flag) => ["-h", "--help", "-V", "--version"].includes(flag));
  return read.operands.length === 0 && !isAsking ? ["chat", ...args] : args;
}

function readFlags(args: readonly string[]): ReturnType<Command["parseOptions"]> | undefined {
  const quiet = { writeErr: () => undefined };
  const probe = declareFlags(new Command()).helpOption(false).exitOverride().configureOutput(quiet);
  try {
    return probe.parseOptions([...args]);
  } catch (error) {
    if (error instanceof CommanderError) return undefined;
    throw error;
  }
}

/** What a wrong command line, or one that asked for help, ends the process with. */
export function commanderExitCode(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : 2;
}
