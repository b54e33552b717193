import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("does what its README shows", async () => {
  const directory = await mkdtemp(join(tmpdir(), "troupe-readme-"));
  const readme = await readFile(join(import.meta.dirname, "..", "README.md"), "utf8");
  const sample = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? "";
  const code = sample.replace(".troupe/troupe.db", join(directory, "troupe.db"));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "-e", code], {
    cwd: join(import.meta.dirname, ".."),
  });
  await rm(directory, { recursive: true, force: true });
  expect(stdout).toBe("accepted 1\n");
});
