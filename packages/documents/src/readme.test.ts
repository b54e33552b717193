import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function run(code: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", code], {
    cwd: new URL("..", import.meta.url),
    encoding: "utf8",
  });
  return { status, output: stdout, error: stderr };
}

it("runs the sample of the README", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const sample = /```ts\n([^]*?)```/u.exec(readme)?.[1] ?? "";
  const said = /^\/\/ (.*)$/mu.exec(sample)?.[1];
  expect(run(sample)).toEqual({ status: 0, output: `${said}\n`, error: "" });
});

it("loads no library until a document needs it", () => {
  const code = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { if (url.includes("node_modules")) loaded.push(url); return next(url, context); } });
    const { cutIntoFragments, readDocument } = await import("@troupe/documents");
    cutIntoFragments(await readDocument({ bytes: new TextEncoder().encode("# Hi"), name: "a.md" }));
    console.log(JSON.stringify(loaded));`;
  expect(run(code)).toEqual({ status: 0, output: "[]\n", error: "" });
});
