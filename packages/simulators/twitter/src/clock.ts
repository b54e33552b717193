/** Where the simulator takes the time from. */
export type Clock = {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
};

/** The machine's own time. */
export const machineClock: Clock = { now: () => Date.now() };
