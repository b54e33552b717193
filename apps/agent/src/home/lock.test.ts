import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HomePaths, homePaths, looseRights, prepareHome } from "./home.ts";
import { type Holder, holdHome, lookAtLock } from "./lock.ts";

const holder: Holder = { pid: 4242, startedAt: "2026-01-02T03:04:05.000Z", characters: ["Ada"], command: "chat" };
let directory: string;
let home: HomePaths;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-home-"));
  home = homePaths(join(directory, "home"));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("a home", () => {
  it("is made for its owner alone", () => {
    prepareHome(home);
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
    expect(looseRights(home)).toBeUndefined();
  });

  it("that is a file is refused with a remedy", () => {
    writeFileSync(home.path, "");
    expect(() => prepareHome(home)).toThrow(/is a file; move it away, or name another home with --home/);
  });

  it("where no directory can be made is refused", { skip: process.platform !== "linux" }, () => {
    expect(() => prepareHome(homePaths("/proc/troupe/home"))).toThrow(/the home \/proc\/troupe\/home cannot be used/);
  });

  it("below a file is refused with a remedy", () => {
    writeFileSync(home.path, "");
    expect(() => prepareHome(homePaths(join(home.path, "deeper")))).toThrow(/lies below something that is a file/);
  });
});

describe("the lock of a home", () => {
  it("is held by one and refused to the next, naming the first", () => {
    prepareHome(home);
    const lock = holdHome(home, holder);
    expect(() => holdHome(home, { ...holder, pid: 1 })).toThrow(
      /process 4242, "chat" with Ada, since 2026-01-02T03:04:05.000Z\); stop it \(Ctrl-C there, or: kill 4242\)/,
    );
    expect(lookAtLock(home)).toEqual({ isHeld: true, holder });
    lock.release();
    expect(lookAtLock(home)).toEqual({ isHeld: false });
    holdHome(home, holder).release();
  });

  it("is free in a home nobody ever held", () => {
    prepareHome(home);
    expect(lookAtLock(home)).toEqual({ isHeld: false });
  });

  it("is held though the note about its holder is damaged", () => {
    prepareHome(home);
    const lock = holdHome(home, holder);
    writeFileSync(home.holderPath, "{");
    expect(lookAtLock(home)).toEqual({ isHeld: true });
    lock.release();
  });

  it("ends with the process that held it, even killed", async () => {
    prepareHome(home);
    const source = `
      import { holdHome } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
      holdHome(${JSON.stringify(home)}, ${JSON.stringify(holder)});
      process.send("held");
      setInterval(() => undefined, 1000);`;
    const stdio: ("ignore" | "inherit" | "ipc")[] = ["ignore", "inherit", "inherit", "ipc"];
    const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { stdio });
    const ended = once(child, "exit");
    try {
      await once(child, "message");
      expect(lookAtLock(home)).toEqual({ isHeld: true, holder });
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
    holdHome(home, { ...holder, pid: process.pid }).release();
  });
});
