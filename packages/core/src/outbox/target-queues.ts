/** Keeps the order of what goes to one target, whoever sends it; targets do not wait for each other. */
export type TargetQueues = {
  /** Runs `work` after everything that was begun for this target before, whatever became of it. */
  run<T>(target: string, work: () => Promise<T>): Promise<T>;
};

/** Queues that cost nothing while idle. */
export function createTargetQueues(): TargetQueues {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(target, work) {
      const before = last.get(target);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(target, mine);
      const forget = (): void => {
        if (last.get(target) === mine) last.delete(target);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
