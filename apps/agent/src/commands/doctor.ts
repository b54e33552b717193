import type { Command } from "commander";
import type { Finding } from "../doctor/finding.ts";
import type { CommandContext } from "./context.ts";

type DoctorFlags = { readonly offline?: boolean; readonly deep?: boolean; readonly json?: boolean };

const askTimeoutMs = 10_000;

/** Declares `doctor`: looks at everything an agent needs and says how to mend what is wrong. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command("doctor")
    .description("check settings, keys, home, database and characters, and say how to mend what is wrong")
    .option("--offline", "ask no model provider whether keys and names are good")
    .option("--deep", "read every page of the database")
    .option("--json", "print the findings as JSON")
    .action(async (flags: DoctorFlags) => {
      const findings = await examine(context, flags);
      const { renderFinding } = await import("../doctor/finding.ts");
      const isHealthy = findings.every(({ state }) => state !== "broken");
      if (flags.json) context.out.write(`${JSON.stringify({ ok: isHealthy, findings }, null, 2)}\n`);
      else for (const finding of findings) context.out.write(`${renderFinding(finding, context.colours)}\n`);
      if (!isHealthy) context.setExitCode(1);
    });
}

/** Looks at everything; each check stands alone, so that one that fails hides no other. */
async function examine(context: CommandContext, flags: DoctorFlags): Promise<readonly Finding[]> {
  const { examineAll } = await import("../doctor/examine.ts");
  return examineAll(context, {
    isOffline: flags.offline === true,
    isDeep: flags.deep === true,
    timeoutMs: askTimeoutMs,
  });
}
