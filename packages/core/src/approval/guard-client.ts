import type { Client, SendResult } from "../client/client.ts";
import { errorMessage } from "../errors.ts";
import type { Delivery } from "../outbox/delivery.ts";
import type { Standing } from "./approvals.ts";

/** What a guard asks. */
export type Guarding = {
  readonly needs: (delivery: Delivery) => boolean;
  /** How a delivery stands; asks a person the first time. */
  readonly standing: (delivery: Delivery) => Promise<Standing>;
};

/**
 * A client that sends what needs a yes only once somebody has said it. Whatever goes wrong on the way to the answer, nothing is
 * sent. It does not stream: what is growing cannot be agreed to.
 */
export function guardClient(client: Client, { needs, standing }: Guarding): Client {
  const send: Client["send"] = async (delivery, signal) => {
    if (!needs(delivery)) return client.send(delivery, signal);
    const now = await standing(delivery).catch((error: unknown): SendResult => {
      return { type: "not-sent", error: `A person could not be asked about it: ${errorMessage(error)}` };
    });
    switch (now.type) {
      case "approved":
        return client.send(now.delivery, signal);
      case "waiting":
        return { type: "held", error: "It waits for a person's yes; see: troupe tasks" };
      case "refused":
        return { type: "rejected", error: now.error };
      default:
        return now;
    }
  };
  const lookup: NonNullable<Client["lookup"]> = async (delivery) => {
    if (!needs(delivery)) return (await client.lookup?.(delivery)) ?? null;
    const now = await standing(delivery);
    return now.type === "approved" ? ((await client.lookup?.(now.delivery)) ?? null) : null;
  };
  const { edits: _, ...own } = Object.getOwnPropertyDescriptors(client);
  // The client's own members, its accessors too, with these in their place.
  return Object.create(Object.getPrototypeOf(client), {
    ...own,
    send: { value: send, enumerable: true },
    ...(client.lookup && { lookup: { value: lookup, enumerable: true } }),
  }) as Client;
}
