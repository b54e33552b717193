export { createTerminalClient } from "./client.ts";
export type { EndReason, TerminalClientOptions, TerminalCommand, TerminalOptions } from "./options.ts";
export { createTerminal, type Terminal } from "./terminal.ts";
