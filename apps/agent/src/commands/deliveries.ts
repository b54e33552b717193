import type { DeliveryState } from "@troupe/core";
import { type Command, InvalidArgumentError } from "commander";
import type { DeliveriesFlags } from "../view/deliveries.ts";
import { jsonOption, limitOption } from "../view/options.ts";
import type { SettleFlags } from "../view/settle-delivery.ts";
import type { CommandContext } from "./context.ts";

const states = ["pending", "sending", "sent", "uncertain", "failed"] as const satisfies readonly DeliveryState[];
const key = "a delivery's key, as lists show it";

/** Declares `deliveries`: what was sent, what nobody knows about, and what to do with it. */
export function addDeliveriesCommand(program: Command, context: CommandContext): void {
  const deliveries = program.command("deliveries").description("what was sent, and what to do about what was not");
  deliveries
    .command("list", { isDefault: true })
    .description("the newest deliveries, newest first")
    .addOption(limitOption(20))
    .option("-s, --state <states>", `only these, with commas between them: ${states.join(", ")}`, readStates)
    .addOption(jsonOption())
    .action(async (flags: DeliveriesFlags) => (await import("../view/deliveries.ts")).listDeliveries(context, flags));
  deliveries
    .command("show")
    .description("one delivery whole")
    .argument("<key>", key)
    .addOption(jsonOption())
    .action(async (wanted: string, flags: { readonly json?: boolean }) =>
      (await import("../view/deliveries.ts")).showDelivery(context, wanted, flags),
    );
  declareVerdict(deliveries, context, "resend", "send one again that is uncertain or failed");
  declareVerdict(deliveries, context, "drop", "give one up that is uncertain or failed");
  declareVerdict(deliveries, context, "sent", "say that an uncertain one did arrive").option(
    "--platform-id <id>",
    "the platform's id of the message, where you found it",
  );
}

function declareVerdict(
  deliveries: Command,
  context: CommandContext,
  as: "resend" | "drop" | "sent",
  description: string,
): Command {
  return deliveries
    .command(as)
    .description(`${description}; by the running agent, if there is one`)
    .argument("<key>", key)
    .addOption(jsonOption())
    .action(async (wanted: string, flags: SettleFlags) =>
      (await import("../view/settle-delivery.ts")).settle(context, { as, key: wanted }, flags),
    );
}

function readStates(written: string): readonly DeliveryState[] {
  return written.split(",").map((one) => {
    const state = states.find((known) => known === one.trim().toLowerCase());
    if (state) return state;
    throw new InvalidArgumentError(`Write one or more of ${states.join(", ")}.`);
  });
}
