import type { Reply } from "./endpoints/route.ts";

/** What goes wrong with a page of results, as it does at X now and then. */
export type PageFault = {
  /** `GET /2/users/:id/mentions` */
  readonly endpoint: string;
  /** Every result twice; or the oldest first; or the last results missing, although there is no next page. */
  readonly type: "duplicated" | "out-of-order" | "shortened";
  /** How many answers it hits; 1 when absent. */
  readonly times?: number;
};

/** Page faults to come. */
export type PageFaults = {
  add(fault: PageFault): void;
  clear(): void;
  /** Applies the next fault for this endpoint, if there is one. */
  apply(endpoint: string, reply: Reply): Reply;
};

/** Makes an empty list of page faults. */
export function createPageFaults(): PageFaults {
  let waiting: { readonly fault: PageFault; left: number }[] = [];
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    clear: () => {
      waiting = [];
    },
    apply(endpoint, reply) {
      const own = waiting.find(({ fault }) => fault.endpoint === endpoint);
      const body = reply.body;
      if (own === undefined || typeof body !== "object" || body === null) return reply;
      const data = "data" in body ? body.data : undefined;
      if (!Array.isArray(data)) return reply;
      own.left -= 1;
      if (own.left <= 0) waiting = waiting.filter((other) => other !== own);
      return { ...reply, body: { ...body, data: disturbed(data, own.fault.type) } };
    },
  };
}

function disturbed(data: readonly unknown[], type: PageFault["type"]): readonly unknown[] {
  switch (type) {
    case "duplicated":
      return data.flatMap((item) => [item, item]);
    case "out-of-order":
      return data.toReversed();
    case "shortened":
      return data.slice(0, Math.ceil(data.length / 2));
  }
}
