import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { beginLife, exitCodeOf } from "./life.ts";

function begin() {
  const events = new EventEmitter();
  const exits: number[] = [];
  const reports: string[] = [];
  let nowMs = 0;
  const process = Object.assign(events, { exit: (code: number) => void exits.push(code) });
  const report = (message: string): void => void reports.push(message);
  const life = beginLife({ process, report, closeWithinMs: 5_000, now: () => nowMs });
  const after = (ms: number): void => {
    nowMs += ms;
  };
  return { life, process, exits, reports, after };
}

describe("a life", () => {
  it("closes what was opened in reverse order, whatever fails", async () => {
    const { life, reports } = begin();
    const closed: string[] = [];
    life.onClose("the lock", () => void closed.push("lock"));
    life.onClose("the store", () => Promise.reject(new Error("disk full")));
    life.onClose("the agents", async () => void closed.push("agents"));
    await life.close();
    expect(closed).toEqual(["agents", "lock"]);
    expect(reports).toEqual(["the store could not be closed: disk full"]);
  });

  it("stops at the first signal and ends the process at the second", async () => {
    const { life, process, exits, after } = begin();
    process.emit("SIGTERM", "SIGTERM");
    expect(life.stopping.aborted).toBe(true);
    expect(life.reason()).toEqual({ type: "signal", signal: "SIGTERM" });
    after(1_000);
    process.emit("SIGINT", "SIGINT");
    expect(exits).toEqual([130]);
    await life.close();
  });

  it("takes a signal that a launcher passes on once more for the same one", async () => {
    const { life, process, exits, after } = begin();
    process.emit("SIGINT", "SIGINT");
    after(20);
    process.emit("SIGINT", "SIGINT");
    expect(exits).toEqual([]);
    await life.close();
  });

  it("stops with exit code 1 after a rejection nobody caught", async () => {
    const { life, process, reports } = begin();
    process.emit("unhandledRejection", new Error("forgotten"));
    const reason = life.reason();
    expect(reason && exitCodeOf(reason)).toBe(1);
    expect(reports[0]).toContain("a defect: forgotten");
    await life.close();
  });

  it("leaves the process as it found it", async () => {
    const { life, process } = begin();
    await life.close();
    expect(process.eventNames()).toEqual([]);
  });
});
