import { Argument, type Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "./context.ts";

type SimulateFlags = {
  readonly port?: number;
  readonly seconds?: number;
  readonly faults?: boolean;
  readonly quietTown?: boolean;
};

const examples = `
Examples:
  npm run -s troupe -- simulate                      the characters on all simulated platforms, among people who talk
  npm run -s troupe -- simulate --seconds 20 --faults    the same for 20 seconds, and things go wrong
  npm run -s troupe -- simulate discord --port 4000  a Discord of your own, for npm start in another terminal`;

/** Declares `simulate`: platforms of one's own, without an account anywhere. */
export function addSimulateCommand(program: Command, context: CommandContext): void {
  program
    .command("simulate")
    .description("try the characters on simulated platforms; with a platform's name, run that simulator as a server")
    .addArgument(
      new Argument("[platform]", "the simulator to run as a server").choices(["discord", "telegram", "twitter"]),
    )
    .option("--port <number>", "where the server listens (default: any free port)", toPort)
    .option("--seconds <number>", "end by itself after so long", toSeconds)
    .option("--faults", "let things go wrong now and then, and say at the end what was answered once, twice, never")
    .option("--quiet-town", "nobody in the town does anything of their own accord")
    .addHelpText("after", examples)
    .action(async (platform: string | undefined, flags: SimulateFlags, command: Command) => {
      const { port, seconds, faults = false, quietTown: isQuiet = false } = flags;
      const ends = seconds === undefined ? {} : { seconds };
      if (platform === undefined) {
        if (port !== undefined) command.error("error: --port belongs to one platform: simulate discord --port 4000");
        const { runSimulation } = await import("../simulate/run-simulation.ts");
        return runSimulation(context, { ...ends, hasFaults: faults, isQuiet });
      }
      if (faults) command.error("error: --faults belongs to a simulation with characters: simulate --faults");
      const { runSimulator } = await import("../simulate/run-simulator.ts");
      return runSimulator(context, platform, { ...ends, ...(port !== undefined && { port }), isQuiet });
    });
}

function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("Write a whole number from 1 to 65535.");
}

function toSeconds(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= 1) return Number(text);
  throw new InvalidArgumentError("Write a whole number from 1 on.");
}
