import type { Receive } from "../client/client.ts";
import { isChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";

/** A `receive` that hears messages and commands, and takes every change without doing anything. */
export function onMessages(act: (inbound: Inbound) => Promise<unknown> | unknown): Receive {
  return async (heard) => {
    if (!isChange(heard)) await act(heard);
  };
}
