import type { Client, Delivery, Receive, SendResult } from "@troupe/core";
import { ClientError } from "@troupe/core/errors";
import { toSendResult } from "./errors.ts";
import { toInbound } from "./inbound.ts";
import type { TerminalClientOptions } from "./options.ts";

/** Longer than any answer; a terminal has no limit of its own. */
const longestText = 1_000_000;

/**
 * One character's voice and ears at a terminal. Nobody can know whether a person has read what was printed, so nothing is
 * guaranteed; a delivery that is sent again within a session is known by its key and printed once.
 */
export function createTerminalClient(options: TerminalClientOptions): Client {
  const { terminal, agentId, agentName } = options;
  const { printer, thinking, userName } = terminal;
  const account = options.account ?? agentName;
  let receive: Receive | null = null;
  let wasStarted = false;

  const seat = terminal.join({
    name: agentName,
    commands: () => options.commands?.() ?? [],
    async hear(line) {
      const inbound = toInbound(line, { agentId, agentName, account, userName, names: terminal.names() });
      if (!inbound || !receive) return;
      terminal.remember(inbound.memory.id);
      await receive(inbound);
    },
  });

  const show = async (delivery: Delivery, isGrowing: boolean): Promise<SendResult> => {
    try {
      thinking.speak(agentName);
      await printer.show(delivery, agentName, isGrowing);
      return { type: "sent", platformId: delivery.key };
    } catch (error) {
      return toSendResult(error);
    }
  };

  return {
    platform: "terminal",
    account,
    limits: { textLength: longestText, unit: "utf16" },
    async start(given, signal) {
      signal.throwIfAborted();
      if (wasStarted)
        throw new ClientError("conflict", `The terminal client of ${agentName} was started already; make another one.`);
      wasStarted = true;
      receive = given;
      signal.addEventListener(
        "abort",
        () => {
          receive = null;
          seat.leave();
        },
        { once: true },
      );
      seat.open();
    },
    async send(delivery, signal) {
      if (delivery.kind !== "message") {
        return { type: "rejected", error: `A terminal shows messages only; it cannot deliver a ${delivery.kind}.` };
      }
      return orCalledOff(show(delivery, delivery.isGrowing === true), signal);
    },
    guarantee: () => "none",
    edits: {
      intervalMs: 0,
      edit: (_platformId, delivery, final) => show(delivery, !final),
      ...(terminal.isInteractive && {
        async remove(platformId: string): Promise<SendResult> {
          const isGone = await printer.remove(platformId);
          if (isGone) return { type: "sent", platformId };
          return { type: "rejected", error: "The terminal has moved on: what it shows cannot be taken back." };
        },
      }),
    },
    ...(terminal.isInteractive && { typing: { start: () => thinking.start(agentName) } }),
  };
}

/** A write may wait for ever, on a reader that has paused. */
function orCalledOff(result: Promise<SendResult>, signal: AbortSignal): Promise<SendResult> {
  const calledOff: SendResult = { type: "unknown", error: "The send was called off before the terminal had taken it." };
  if (signal.aborted) return result;
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(calledOff);
    signal.addEventListener("abort", onAbort, { once: true });
    void result.then((settled) => {
      signal.removeEventListener("abort", onAbort);
      resolve(settled);
    });
  });
}
