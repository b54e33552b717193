import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The threads and processes that tests start share their compiled code, as `launch.mjs` has it.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/node", import.meta.url));

export default defineConfig({
  test: {
    include: ["packages/**/src/**/*.test.ts", "apps/**/src/**/*.test.ts", "scripts/**/*.test.ts"],
    isolate: false,
    // Many tests wait for processes and threads of their own: more files at once than there are cores.
    maxWorkers: 4,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: 20_000,
  },
});
