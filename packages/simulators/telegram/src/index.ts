export type { Fault, Faults, PlannedFault } from "@troupe/simulator-wire";
export type { FloodLimit, FloodLimits } from "./api/flood.ts";
export type { BotHandle, UpdatesHandle } from "./handle/bot-handle.ts";
export type { ChatHandle, WaitOptions } from "./handle/chat-handle.ts";
export type { PressedButton } from "./handle/press.ts";
export type { Said, SaidFile } from "./handle/said.ts";
export type { SeenHappening } from "./handle/seen.ts";
export type { Place, UserHandle } from "./handle/user-handle.ts";
export type { BotOptions, TelegramSimulatorOptions } from "./options.ts";
export type {
  TelegramButton,
  TelegramChat,
  TelegramEntity,
  TelegramFile,
  TelegramMarkup,
  TelegramMessage,
  TelegramReaction,
  TelegramUpdate,
  TelegramUser,
} from "./payload.ts";
export {
  type BotRequest,
  type FaultOptions,
  type NewChat,
  type NewUser,
  startTelegramSimulator,
  type TelegramSimulator,
} from "./simulator.ts";
export { parseHtml } from "./text/parse-html.ts";
export { parseMarkdownV2 } from "./text/parse-markdown-v2.ts";
export { createTown, type Town, type TownEvent } from "./town.ts";
export type { CallbackAnswer, Clock, Command, Rights, Timers } from "./world/world.ts";
