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
enableCompileCache();
await import("./apps/agent/src/main.ts");
