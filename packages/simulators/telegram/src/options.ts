import type { FloodLimits } from "./api/flood.ts";
import type { Clock, Timers } from "./world/world.ts";

/** A bot as BotFather makes it. */
export type BotOptions = {
  /** `<id>:<secret>`, as Telegram's tokens are; made up when absent. */
  readonly token?: string;
  /** Without the @; must end in "bot". */
  readonly username?: string;
  readonly firstName?: string;
  /** True when absent: in groups it gets only what is meant for it. */
  readonly hasPrivacyMode?: boolean;
  /** True when absent. */
  readonly canJoinGroups?: boolean;
};

/** What a simulator is made of. Everything may be absent. */
export type TelegramSimulatorOptions = {
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  /** Any free port when absent. */
  readonly port?: number;
  /** One bot when absent. */
  readonly bots?: readonly BotOptions[];
  /** The computer's clock when absent. Dates, flood control, ages go by it. */
  readonly clock?: Clock;
  /** The computer's timers when absent. Long polls, webhook retries, waits go by them. */
  readonly timers?: Timers;
  /** At least 0, below 1; ids and tokens are made of it. `Math.random` when absent. */
  readonly random?: () => number;
  /** Flood control as Telegram's FAQ has it when absent; `false` for none. */
  readonly flood?: FloodLimits | false;
  /** How long a pressed button can be answered, in milliseconds; a minute when absent. */
  readonly callbackTtlMs?: number;
  /** Brings updates to webhooks and gets files from addresses; the global `fetch` when absent. */
  readonly fetch?: typeof fetch;
  /**
   * The id of the first user or group; 1001 when absent. Whoever keeps what was said beyond a simulator's life gives each another,
   * so that no chat is taken for an earlier one.
   */
  readonly firstId?: number;
  /** How many messages a chat keeps, oldest dropped first; 10,000 when absent. */
  readonly keptMessages?: number;
  /** How many past requests `requests` shows; 10,000 when absent. */
  readonly keptRequests?: number;
  /** Told of a defect of the simulator itself. */
  readonly onDefect?: (error: unknown) => void;
};
