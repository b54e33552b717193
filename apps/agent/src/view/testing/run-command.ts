import { Writable } from "node:stream";
import { CommanderError } from "commander";
import { commanderExitCode, createProgram, declareCommands } from "../../command-line.ts";
import { describeFailure } from "../../describe-failure.ts";
import { createProgramContext } from "../../program-context.ts";

/** What a command printed and ended with. */
export type CommandResult = { readonly out: string; readonly err: string; readonly code: number };

/** A stream that keeps what is written; with `columns` it passes for a terminal of that width. */
function createSink(columns: number | undefined): { readonly stream: NodeJS.WriteStream; text(): string } {
  const chunks: string[] = [];
  const writable = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  // Commands use no more of a terminal than this.
  return { stream: Object.assign(writable, terminal) as unknown as NodeJS.WriteStream, text: () => chunks.join("") };
}

/** Runs one command line against a home, as the program does, and returns what a person would see. */
export async function runCommand(home: string, args: readonly string[], columns?: number): Promise<CommandResult> {
  const [out, err] = [createSink(columns), createSink(undefined)];
  const program = createProgram();
  const { context, load, close, exitCode } = createProgramContext(program, { out: out.stream, err: err.stream });
  const commandLine = declareCommands(program, context, load);
  const silence = {
    writeErr: (text: string) => context.err.write(text),
    writeOut: (text: string) => context.out.write(text),
  };
  for (const command of [program, ...program.commands.flatMap((one) => [one, ...one.commands])]) {
    command.exitOverride().configureOutput(silence);
  }
  try {
    await commandLine.run([...args, "--home", home]);
  } catch (error) {
    if (error instanceof CommanderError) context.setExitCode(commanderExitCode(error));
    else {
      const { text, code } = describeFailure(error, false);
      context.err.write(`${text}\n`);
      context.setExitCode(code);
    }
  } finally {
    await close();
  }
  return { out: out.text(), err: err.text(), code: exitCode() };
}
