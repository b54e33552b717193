/** Rooms in which things happen one after the other; rooms do not wait for each other. */
export type RoomQueues = {
  /** Runs `work` after everything that was put into this room's queue before, whatever became of it. */
  run(room: string, work: () => Promise<void>): Promise<void>;
};

/** Queues that cost nothing while they are empty. */
export function createRoomQueues(): RoomQueues {
  const last = new Map<string, Promise<void>>();
  return {
    run(room, work) {
      const before = last.get(room);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(room, mine);
      const forget = (): void => {
        if (last.get(room) === mine) last.delete(room);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
