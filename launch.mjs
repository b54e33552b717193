// Starts the agent, whatever Node ran this file: it only checks that the Node is new enough and names the remedy.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `Troupe needs Node 24.15 or newer; this is ${process.version} (${process.platform}-${process.arch}).\n` +
      "On this system no Node 24 comes with the install. Get one from https://nodejs.org, put it first on PATH and start again.",
  );
  process.exit(1);
}
const { enableCompileCache } = await import("node:module");
const { fileURLToPath } = await import("node:url");
// Compiled code is kept in the project, where nobody else can put any. Threads find it by the variable; without it each of
// them would compile for itself, which costs 30 MB and 100 ms.
const cache = process.env.NODE_COMPILE_CACHE || fileURLToPath(new URL("node_modules/.cache/node", import.meta.url));
enableCompileCache(cache);
process.env.NODE_COMPILE_CACHE = cache;
const { hastenImports } = await import("./apps/agent/src/quick-imports.ts");
hastenImports();
await import("./apps/agent/src/main.ts");
