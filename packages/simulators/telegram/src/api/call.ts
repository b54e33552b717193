import type { WireFile } from "@troupe/simulator-wire";
import type { Poller } from "../update/poll.ts";
import type { Bot, World } from "../world/world.ts";
import type { Flood } from "./flood.ts";
import type { Parameters } from "./parameters.ts";

/** A bot's call of a method. */
export type Call = {
  readonly world: World;
  readonly bot: Bot;
  readonly parameters: Parameters;
  /** What came with a form, by the field it came in. */
  readonly files: ReadonlyMap<string, WireFile>;
  readonly flood: Flood;
  readonly poller: Poller;
  /** Gets files that are given by their address. */
  readonly fetch: typeof fetch;
  /** Aborts when the bot has hung up. */
  readonly gone: AbortSignal;
};

/** Does what is asked and gives the result. @throws ApiError */
export type Method = (call: Call) => unknown;
