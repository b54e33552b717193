import type { ActionParameter } from "../action/parameter.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";

/** Small durable values of one client's own, by key: cursors, what it registered on its platform. */
export interface ClientState {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Something people may ask for by name, where a platform has commands: an action that asks for it, or one of the house. */
export type Command = {
  /** 1..32 of `[a-z0-9_-]`, lower case, unique. */
  readonly name: string;
  /** One sentence, at most 100 characters. */
  readonly description: string;
  readonly parameters: readonly ActionParameter[];
};

/** What every client is made of, beside its own options. */
export type ClientParts = {
  readonly log: Log;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly state: ClientState;
  /** What people may ask for by name; asked again whenever the client connects. */
  readonly commands: () => readonly Command[];
  /** Resolves when all commands are known; waited for before they are registered. */
  readonly whenReady?: () => Promise<void>;
};
