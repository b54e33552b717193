import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it("shows an example in the README that runs", async () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const here = (name: string): string => new URL(name, import.meta.url).href;
  const runnable = code
    .replace('"@troupe/core"', JSON.stringify(here("./index.ts")))
    .replace('"@troupe/core/testing"', JSON.stringify(here("./testing/index.ts")))
    .replace(/^import (\{.*\}) from (.*);$/gm, "const $1 = await import($2);");
  const run = new Function(
    "load",
    `return (async () => { ${runnable.replaceAll("await import(", "await load(")}; return answer; })();`,
  );
  expect(await run((url: string) => import(url))).toBe("Hello!");
});
