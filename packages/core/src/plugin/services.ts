import type { Clock } from "../clock.ts";
import { ConfigError, errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import { withinDeadline } from "./deadline.ts";
import type { Service, ServiceClass } from "./plugin.ts";
import type { Runtime } from "./runtime.ts";

/** What services are started and stopped with. */
export type ServicesParts = {
  readonly clock: Clock;
  readonly log: Log;
  /** 30,000 when absent. */
  readonly startTimeoutMs?: number;
  /** For each; 2,000 when absent. */
  readonly stopTimeoutMs?: number;
};

/** The running services of one agent, by their type. Each goes: starting → running → stopped, once. */
export type Services = {
  /** @throws ConfigError when the type is taken or missing, TroupeError `timeout`, or what the start throws. */
  start(kind: ServiceClass, runtime: Runtime, owner: string): Promise<void>;
  get(type: string): Service | null;
  has(type: string): boolean;
  /** Stops an owner's services, or all, the last started first; one that fails or takes too long is logged. */
  stop(owner?: string): Promise<void>;
};

type Running = { readonly owner: string; readonly type: string; readonly service: Service };

/** No services yet. */
export function createServices(parts: ServicesParts): Services {
  const { clock, log, startTimeoutMs = 30_000, stopTimeoutMs = 2_000 } = parts;
  const running: Running[] = [];
  const find = (type: string): Running | undefined => running.find((one) => one.type === type);
  const stopOne = async ({ owner, type, service }: Running): Promise<void> => {
    try {
      const deadline = { clock, timeoutMs: stopTimeoutMs, what: `stopping the service ${type}` };
      await withinDeadline(() => service.stop(), deadline);
    } catch (error) {
      log.warn(
        { plugin: owner, service: type, error: errorMessage(error) },
        "a service did not stop; the others go on",
      );
    }
  };
  return {
    async start(kind, runtime, owner) {
      const type = kind.serviceType;
      if (typeof type !== "string" || type.trim() === "") {
        throw new ConfigError("invalid", `a service of ${owner} has no type; give its class a static serviceType`);
      }
      const holder = find(type);
      if (holder) {
        throw new ConfigError(
          "invalid",
          `the service ${type} of ${owner} is there already, by ${holder.owner}; give one of the two another serviceType`,
        );
      }
      const deadline = { clock, timeoutMs: startTimeoutMs, what: `starting the service ${type}` };
      // One that comes too late is stopped again: nobody could reach it.
      const service = await withinDeadline(
        () => kind.start(runtime),
        deadline,
        (late) => void stopOne({ owner, type, service: late }),
      );
      if (typeof service?.stop !== "function") {
        throw new ConfigError("invalid", `the service ${type} of ${owner} has no stop(); give it one`);
      }
      running.push({ owner, type, service });
    },
    get: (type) => find(type)?.service ?? null,
    has: (type) => find(type) !== undefined,
    async stop(owner) {
      const leaving = running.filter((one) => owner === undefined || one.owner === owner).toReversed();
      for (const one of leaving) {
        await stopOne(one);
        running.splice(running.indexOf(one), 1);
      }
    },
  };
}
