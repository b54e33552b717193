import { readCharacter, silentLog } from "@troupe/core";
import { createMemoryStore, createScriptedClient } from "@troupe/core/testing";
import { expect, it } from "vitest";
import type { Role } from "../compose.ts";
import type { Config } from "../config.ts";
import { connectPlatforms } from "./connect-platforms.ts";
import type { Platform } from "./platform.ts";

const pager: Platform = {
  name: "pager",
  title: "Pager",
  credentials: ["PAGER_TOKEN", "PAGER_KEY"],
  create: async ({ credentials, agentId }) => {
    if (credentials["PAGER_TOKEN"] === "bad") throw new Error("PAGER_TOKEN is no token; copy it again");
    return createScriptedClient({ agentId, platform: "pager", account: credentials["PAGER_TOKEN"] ?? "" });
  },
};

function role(name: string, file: Record<string, unknown> = {}): Role {
  const reading = readCharacter({ name, bio: "Somebody.", ...file }, { source: "test" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return { character: reading.character, agentId: name, models: {} as Role["models"] };
}

async function connect(roles: readonly Role[], environment: Record<string, string> = {}) {
  const told: string[] = [];
  const clients = await connectPlatforms(roles, {
    platforms: [pager],
    config: { environment } as unknown as Config,
    log: silentLog,
    store: createMemoryStore(),
    commandsOf: () => [],
    whenReady: async () => undefined,
    tell: (message) => told.push(message),
  });
  const accounts = [...clients].map(([agentId, list]) => `${agentId}: ${list.map(({ account }) => account).join()}`);
  return { told, accounts };
}

const both = { PAGER_TOKEN: "t1", PAGER_KEY: "k" };

it("connects a character where the credentials are, and is quiet where there are none", async () => {
  expect(await connect([role("Ada")], both)).toEqual({ told: [], accounts: ["Ada: t1"] });
  expect(await connect([role("Ada")])).toEqual({ told: [], accounts: ["Ada: "] });
});

it("says what is missing when only a part is there, or the character wants to be there", async () => {
  const { told } = await connect([role("Ada")], { PAGER_TOKEN: "t1" });
  expect(told).toEqual([expect.stringMatching(/^Ada is not on Pager: PAGER_KEY is not set; put it into \.env/)]);
  const wanting = role("Ada", { platforms: { pager: { enabled: true } } });
  expect((await connect([wanting])).told).toEqual([expect.stringContaining("PAGER_TOKEN and PAGER_KEY are not set")]);
});

it("stays away where the character says no", async () => {
  const refusing = role("Ada", { platforms: { pager: { enabled: false } } });
  expect(await connect([refusing], both)).toEqual({ told: [], accounts: ["Ada: "] });
});

it("lets each account speak for one character: who brings its own, else who wants it, else the first", async () => {
  const own = { secrets: { PAGER_TOKEN: "t2", PAGER_KEY: "k2" } };
  expect((await connect([role("Ada"), role("Bo")], both)).accounts).toEqual(["Ada: t1", "Bo: "]);
  expect((await connect([role("Ada"), role("Bo", own)], both)).accounts).toEqual(["Ada: t1", "Bo: t2"]);
  const eager = { platforms: { pager: { enabled: true } } };
  expect((await connect([role("Ada"), role("Bo", eager)], both)).accounts).toEqual(["Ada: ", "Bo: t1"]);
  const two = await connect([role("Ada", eager), role("Bo", eager)], both);
  expect(two.accounts).toEqual(["Ada: t1", "Bo: "]);
  expect(two.told).toEqual([expect.stringContaining("Bo is not on Pager: Ada speaks for that account already")]);
});

it("finds credentials under the character's own name in the environment, and never mixes two accounts", async () => {
  const named = { ...both, "CHARACTER.MISS_BO.PAGER_TOKEN": "t3", "CHARACTER.MISS_BO.PAGER_KEY": "k3" };
  expect((await connect([role("Miss Bo")], named)).accounts).toEqual(["Miss Bo: t3"]);
  const half = { ...both, "CHARACTER.MISS_BO.PAGER_TOKEN": "t3" };
  expect((await connect([role("Miss Bo")], half)).accounts).toEqual(["Miss Bo: t1"]);
});

it("goes on with the others when one cannot be made", async () => {
  const bad = role("Ada", { secrets: { PAGER_TOKEN: "bad", PAGER_KEY: "k" } });
  const { told, accounts } = await connect([bad, role("Bo")], both);
  expect(accounts).toEqual(["Ada: ", "Bo: t1"]);
  expect(told).toEqual(["Ada is not on Pager: PAGER_TOKEN is no token; copy it again"]);
});
