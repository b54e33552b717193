import { once } from "node:events";
import { CommanderError } from "commander";
import { commanderExitCode, createProgram, declareCommands } from "./command-line.ts";
import { createProgramContext } from "./program-context.ts";

// The command line of Troupe: it is declared here, and every command builds what it needs by hand in its own file.
const { stdout, stderr } = process;
const program = createProgram();
const { context, load, close, exitCode } = createProgramContext(program, { out: stdout, err: stderr });
const commandLine = declareCommands(program, context, load);

// `troupe runs | head -1`: whoever read has what they wanted. A conversation listens itself and ends in order.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  if (stdout.listenerCount("error") === 1) process.exit(0);
});

try {
  await commandLine.run(process.argv.slice(2));
} catch (error) {
  context.setExitCode(await tell(error));
}
await close();
await Promise.all([stdout, stderr].map(flush));
process.exit(exitCode());

async function tell(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return commanderExitCode(error);
  const { describeFailure } = await import("./describe-failure.ts");
  const { text, code } = describeFailure(error, context.flags.logLevel === "debug");
  stderr.write(`${text}\n`);
  return code;
}

async function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0 && stream.writable) await once(stream, "drain");
}
