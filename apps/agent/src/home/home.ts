/** Where things stand in an agent's home. All absolute. */
export type HomePaths = {
  readonly path: string;
  readonly databasePath: string;
  /** The local socket of the running agent; a name of its own on Windows. */
  readonly socketPath: string;
  /** The database whose exclusive lock says that an agent runs. */
  readonly lockPath: string;
  /** Who holds the lock, for people. */
  readonly holderPath: string;
  readonly logPath: string;
};
