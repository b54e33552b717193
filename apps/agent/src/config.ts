/** What the program was told by its environment. */
export type Config = {
  /** `--home`, TROUPE_HOME or `.troupe` at the project's root; absolute. */
  readonly homePath: string;
};
