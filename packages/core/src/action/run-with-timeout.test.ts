import { describe, expect, it } from "vitest";
import { createSetClock } from "../testing/index.ts";
import { runWithTimeout } from "./run-with-timeout.ts";

function bench(timeoutMs = 500) {
  const clock = createSetClock();
  const outer = new AbortController();
  return { clock, outer, limit: { timeoutMs, clock, signal: outer.signal, name: "Action WEATHER" } };
}
const never = (): Promise<never> => new Promise(() => undefined);

describe("runWithTimeout", () => {
  it("gives what the work gives, and leaves no timer behind", async () => {
    const { clock, limit } = bench();
    expect(await runWithTimeout(async (signal) => signal.aborted, limit)).toBe(false);
    await clock.advance(0);
    expect(clock.sleepers()).toBe(0);
  });

  it("fails as the work fails, also before its first promise", async () => {
    const { limit } = bench();
    const late = async (): Promise<never> => Promise.reject(new Error("late"));
    const early = (): Promise<never> => {
      throw new Error("early");
    };
    await expect(runWithTimeout(late, limit)).rejects.toThrow("late");
    await expect(runWithTimeout(early, limit)).rejects.toThrow("early");
  });

  it("calls off work that takes too long, and names the limit", async () => {
    const { clock, limit } = bench();
    let seen: unknown;
    const running = runWithTimeout((signal) => {
      signal.addEventListener("abort", () => {
        seen = signal.reason;
      });
      return never();
    }, limit);
    const refused = expect(running).rejects.toMatchObject({
      code: "timeout",
      message: "Action WEATHER took longer than its limit of 500 ms and was called off.",
    });
    await clock.advance(499);
    expect(seen).toBeUndefined();
    await clock.advance(1);
    await refused;
    expect(seen).toMatchObject({ code: "timeout" });
  });

  it("says that the time was over even when the work heeds its signal with an error of its own", async () => {
    const { clock, limit } = bench();
    const running = runWithTimeout(
      (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("mine")))),
      limit,
    );
    const refused = expect(running).rejects.toMatchObject({ code: "timeout" });
    await clock.advance(500);
    await refused;
  });

  it("does not mind what called-off work does later", async () => {
    const { clock, limit } = bench();
    const failed = Promise.withResolvers<never>();
    const refused = expect(runWithTimeout(() => failed.promise, limit)).rejects.toMatchObject({ code: "timeout" });
    await clock.advance(500);
    await refused;
    failed.reject(new Error("much later"));
    await clock.advance(0);
  });

  it("ends at once with the reason of the outer signal, and passes it on", async () => {
    const { clock, outer, limit } = bench();
    let inner: AbortSignal | undefined;
    const running = runWithTimeout((signal) => {
      inner = signal;
      return never();
    }, limit);
    const refused = expect(running).rejects.toBe("stop");
    outer.abort("stop");
    await refused;
    expect(inner?.reason).toBe("stop");
    await clock.advance(0);
    expect(clock.sleepers()).toBe(0);
    await expect(runWithTimeout(async () => 1, limit)).rejects.toBe("stop");
  });
});
