import { describe, expect, it } from "vitest";
import { destinationOf } from "./quick-imports.ts";

const ours = "file:///home/troupe/apps/agent/src/main.ts";
const zod = "file:///home/troupe/node_modules/.pnpm/zod@4/node_modules/zod/v4/core/index.js";

describe("destinationOf", () => {
  it("leads to a source file that is named exactly", () => {
    expect(destinationOf("../../core/src/run/agent.ts", ours)).toEqual({
      url: "file:///home/troupe/apps/core/src/run/agent.ts",
      format: "module-typescript",
    });
  });

  it("leaves packages, data and entry points to Node", () => {
    expect(destinationOf("@troupe/core", ours)).toBeNull();
    expect(destinationOf("node:fs", ours)).toBeNull();
    expect(destinationOf("../package.json", ours)).toBeNull();
    expect(destinationOf("./main.ts", undefined)).toBeNull();
    expect(destinationOf("./index.js", "file:///home/troupe/node_modules/pino/pino.js")).toBeNull();
  });

  it("leads zod to its English messages alone", () => {
    expect(destinationOf("../locales/index.js", zod)?.url).toMatch(/\/zod\/v4\/locales\/en\.js$/);
    expect(destinationOf("./schemas.js", zod)?.url).toMatch(/\/zod\/v4\/core\/schemas\.js$/);
  });
});
