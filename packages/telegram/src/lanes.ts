/** Rows in which things happen one after the other; rows do not wait for each other. */
export type Lanes = {
  /** Runs `work` after everything that was put into this lane before. */
  run(lane: string, work: () => Promise<void>): Promise<void>;
};

/** Lanes that cost nothing while they are empty. */
export function createLanes(): Lanes {
  const last = new Map<string, Promise<void>>();
  return {
    run(lane, work) {
      const before = last.get(lane);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(lane, mine);
      const forget = (): void => {
        if (last.get(lane) === mine) last.delete(lane);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
