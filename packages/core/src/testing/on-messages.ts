import type { Receive } from "../client/client.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { isNotice } from "../inbox/notice.ts";

/** A `receive` that hears messages and commands, and takes every notice without doing anything. */
export function onMessages(act: (inbound: Inbound) => Promise<unknown> | unknown): Receive {
  return async (heard) => {
    if (!isNotice(heard)) await act(heard);
  };
}
