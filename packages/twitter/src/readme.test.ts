import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("runs the sample of the README", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const sample = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? "";
  const run = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", sample], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8",
  });
  expect({ status: run.status, output: run.stdout, error: run.stderr }).toEqual({
    status: 0,
    output: "Ada heard: @Ada hello\n",
    error: "",
  });
});
