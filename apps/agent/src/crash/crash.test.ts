import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveAgentId, messageMemoryId, silentLog } from "@troupe/core";
import { type CrashPoint, crashPoints, type HeardMessage, readFileClient } from "@troupe/core/testing";
import { createSqliteStore } from "@troupe/store";
import { afterAll, describe, expect, it } from "vitest";
import type { CrashOrder } from "./crash-child.ts";
import type { TerminalOrder } from "./terminal-child.ts";

const directory = mkdtempSync(join(tmpdir(), "troupe-crash-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** How a child ended: the signal that killed it, or its exit code. */
function runChild(
  order: CrashOrder | TerminalOrder,
  program = "crash-child.ts",
): Promise<{ readonly end: string | number | null; readonly errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, program), JSON.stringify(order)], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, NODE_COMPILE_CACHE: join(directory, "compiled") },
    });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ end: signal ?? code, errors }));
  });
}

type Way = Pick<CrashOrder, "guarantee" | "streams" | "onUnknown" | "mode">;

/** One message a crash point: each process finishes the message before, and dies at its point with the next one in hand. */
async function crashThrough(way: Way, points: readonly CrashPoint[]) {
  const name = `${way.guarantee}-${way.streams}-${way.onUnknown}-${way.mode}`;
  const paths = {
    databasePath: join(directory, `${name}.db`),
    clientPath: join(directory, `${name}.client`),
    callsPath: join(directory, `${name}.calls`),
  };
  const inputs: HeardMessage[] = [];
  for (const point of points) {
    inputs.push({ text: point, eventId: point });
    expect(await runChild({ ...paths, ...way, inputs, point }), point).toEqual({ end: "SIGKILL", errors: "" });
  }
  expect(await runChild({ ...paths, ...way, inputs })).toEqual({ end: 0, errors: "" });
  const { shown } = readFileClient(paths.clientPath);
  const calls = readFileSync(paths.callsPath, "utf8").split("\n");
  const store = await createSqliteStore({ path: paths.databasePath, log: silentLog });
  const agentId = deriveAgentId({ name: "Ada" });
  const outcomes = await Promise.all(
    inputs.map(({ eventId }) =>
      store.inbox.find(
        agentId,
        messageMemoryId({ platform: "file", account: "file", room: "lobby", message: eventId }),
      ),
    ),
  );
  await store.admin.close();
  return {
    answers: Object.fromEntries(
      points.map((point) => [point, shown.filter(({ text }) => text.startsWith(`Answer to ${point}.`))]),
    ),
    calls: Object.fromEntries(points.map((point) => [point, calls.filter((call) => call === point).length])),
    outcomes: outcomes.map((row) => row?.outcome),
  };
}

const wholeAnswer = (point: string): string => `Answer to ${point}. ${"More of it. ".repeat(80).trim()}`;
const withoutStream = crashPoints.filter((point) => point !== "mid-stream");
/** Where a platform's guarantee makes the difference; what comes before is the same for all. */
const aroundSend = ["after-model", "after-journal", "before-send", "after-send", "before-receipt"] as const;

describe.concurrent("a process that is killed at any moment", { timeout: 60_000 }, () => {
  it.each<[Way, readonly CrashPoint[]]>([
    [{ guarantee: "nonce", streams: false, onUnknown: "resend" }, withoutStream],
    [{ guarantee: "nonce", streams: true, onUnknown: "resend" }, crashPoints],
    [{ guarantee: "lookup", streams: false, onUnknown: "resend" }, aroundSend],
    [{ guarantee: "nonce", streams: true, onUnknown: "resend", mode: "steps" }, crashPoints],
  ])("answers each message exactly once, and whole, on a platform with %j", async (way, points) => {
    const { answers, outcomes } = await crashThrough(way, points);
    for (const point of points)
      expect(
        answers[point]?.map(({ text }) => text),
        point,
      ).toEqual([wholeAnswer(point)]);
    expect(outcomes).toEqual(points.map(() => "answered"));
  });

  it("pays once for an answer that was written down, and never loses one where nothing can be known", async () => {
    const { answers, calls, outcomes } = await crashThrough(
      { guarantee: "none", streams: false, onUnknown: "resend" },
      aroundSend,
    );
    for (const point of aroundSend) {
      const mayRepeat = point === "after-send" || point === "before-receipt";
      expect(answers[point]?.length, point).toBe(mayRepeat ? 2 : 1);
      expect(calls[point], point).toBe(point === "after-model" ? 2 : 1);
    }
    expect(outcomes).toEqual(aroundSend.map(() => "answered"));
  });

  it("holds what nobody can know, where the operator wants no answer twice", async () => {
    const points = ["before-send", "after-send", "before-receipt"] as const;
    const { answers, outcomes } = await crashThrough({ guarantee: "none", streams: false, onUnknown: "hold" }, points);
    expect(points.map((point) => answers[point]?.length)).toEqual([0, 1, 1]);
    expect(outcomes).toEqual(["uncertain", "uncertain", "uncertain"]);
  });

  it("never shows an earlier answer as the new one's in a terminal, and loses none", async () => {
    const paths = { databasePath: join(directory, "terminal.db"), screenPath: join(directory, "terminal.screen") };
    const points = ["after-accept", "mid-stream", "after-journal", "after-send", "before-receipt"] as const;
    for (const point of points) {
      expect(await runChild({ ...paths, text: point, point }, "terminal-child.ts"), point).toEqual({
        end: "SIGKILL",
        errors: "",
      });
    }
    expect(await runChild(paths, "terminal-child.ts")).toEqual({ end: 0, errors: "" });
    const screen = readFileSync(paths.screenPath, "utf8");
    for (const point of points) {
      // What was said before the process died stands after its own question; what comes later names the question it answers.
      const [, after = ""] = screen.split(`--- ${point}\n`);
      expect(after, point).toContain(`The end of ${point}.`);
      const later = after.slice(after.indexOf("to your earlier message"));
      expect(later, point).toMatch(new RegExp(`^to your earlier message “${point}”`));
    }
  });
});
