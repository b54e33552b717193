import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelError } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LogLevel } from "./config.ts";
import { createLog } from "./log.ts";
import { openLogFile } from "./log-file.ts";

function record(level: LogLevel, secrets: readonly string[] = []) {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), close: () => undefined };
  return { ...createLog(sink, level, secrets), lines };
}

describe("a log", () => {
  it("hides known secrets wherever they stand", () => {
    const { log, keepSecret, lines } = record("info", ["sk-environment"]);
    keepSecret(['own"secret', "12345"]);
    log.info({ url: "http://x/?k=sk-environment" }, 'with own"secret in it and 12345');
    expect(lines.join("")).not.toMatch(/sk-environment|own\\?"secret/);
    expect(lines.join("")).toContain("12345");
  });

  it("hides fields that hold keys or what people said", () => {
    const { log, lines } = record("info");
    log
      .child({ platform: "terminal" })
      .info({ token: "t0", headers: { authorization: "t1" }, text: "t2", content: { text: "t3" } }, "said");
    expect(lines.join("")).not.toMatch(/t\d"/);
    expect(lines.join("")).toContain('"platform":"terminal"');
  });

  it("shows where an error happened only for debugging", () => {
    const error = new ModelError("unauthorized", "the key was refused", { cause: new Error("401") });
    const usual = record("warn");
    usual.log.warn({ err: error }, "failed");
    expect(JSON.parse(usual.lines[0] ?? "")).toMatchObject({
      level: "warn",
      err: { name: "ModelError", code: "unauthorized", message: "the key was refused", cause: { message: "401" } },
    });
    expect(usual.lines[0]).not.toContain("stack");
    const thorough = record("debug");
    thorough.log.debug({ err: error }, "failed");
    expect(thorough.lines[0]).toContain("stack");
  });
});

describe("a log file", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "troupe-log-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("is its owner's alone and begins anew when it is full, keeping the one before", () => {
    const path = join(directory, "agent.log");
    const file = openLogFile(path, 10);
    for (const line of ["first line\n", "second line\n", "third line\n"]) file.write(line);
    file.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${path}.1`, "utf8")).toBe("second line\n");
    expect(readFileSync(path, "utf8")).toBe("third line\n");
  });
});
