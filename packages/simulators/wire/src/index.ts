export type { Fault, FaultMatch, Faults, PlannedFault } from "./faults.ts";
export type { WireAnswer, WireFile, WireRequest } from "./request.ts";
export { createTownTalk, type TownOptions, type TownTalk, townNames } from "./town-talk.ts";
export { startWire, type Wire, type WireOptions } from "./wire.ts";
