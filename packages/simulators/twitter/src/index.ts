export type { App, AppOptions } from "./auth/registry.ts";
export type { EndpointLimits } from "./limits/limit-table.ts";
export type { Charge, Meter, PriceKind } from "./limits/meter.ts";
export { loopbackAgent } from "./loopback-agent.ts";
export type { PageFault } from "./page-faults.ts";
export { Problem } from "./problem.ts";
export type { PostOptions, SimulatedUser } from "./simulated-user.ts";
export { createTown, type Town, type TownEvent } from "./town.ts";
export {
  type Credentials,
  startTwitterSimulator,
  type TwitterSimulator,
  type TwitterSimulatorOptions,
} from "./twitter-simulator.ts";
export type { UserOptions } from "./world/people.ts";
export type { DirectEvent, Media, Post, Standing, User } from "./world/world.ts";
