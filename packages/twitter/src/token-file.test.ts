import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTokens, writeTokens } from "./token-file.ts";

let home = "";
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "troupe-tokens-"));
});
afterEach(() => rm(home, { recursive: true }));

const tokens = { accessToken: "an-access-token", refreshToken: "a-refresh-token", expiresAt: 1_800_000_000_000 };

it("keeps tokens that nobody else can read, under a passphrase or a key of their own", async () => {
  for (const place of [
    { tokensPath: join(home, "one.json") },
    { tokensPath: join(home, "two.json"), passphrase: "correct horse" },
  ]) {
    await writeTokens(place, tokens);
    expect(await readTokens(place)).toEqual(tokens);
    await writeTokens(place, { ...tokens, accessToken: "another" });
    expect((await readTokens(place)).accessToken).toBe("another");
    expect(await readFile(place.tokensPath, "utf8")).not.toContain("token");
    expect((await stat(place.tokensPath)).mode & 0o777).toBe(0o600);
  }
  expect((await stat(join(home, "one.json.key"))).mode & 0o777).toBe(0o600);
});

it("says what to do when there are none, they are damaged, or the key is another one", async () => {
  const place = { tokensPath: join(home, "one.json"), passphrase: "correct horse" };
  const refusal = { code: "unauthorized", message: expect.stringContaining("troupe login twitter") };
  await expect(readTokens(place)).rejects.toMatchObject(refusal);
  await writeTokens(place, tokens);
  await expect(readTokens({ ...place, passphrase: "wrong" })).rejects.toMatchObject(refusal);
  await expect(readTokens({ tokensPath: place.tokensPath })).rejects.toMatchObject(refusal);
  for (const text of ["", "{}", "[1]", '{"sealed":"AAAA"}', "no JSON"]) {
    await writeFile(place.tokensPath, text);
    await expect(readTokens(place)).rejects.toMatchObject(refusal);
  }
});
