import { silentLog } from "@troupe/core";
import { expect, it } from "vitest";
import { examineTwitter } from "./examine.ts";
import { hastyClock, openTwitter } from "./testing/stage.ts";

async function stage() {
  const simulator = await openTwitter();
  const bot = simulator.createUser({ username: "ada_bot" });
  const usual = simulator.credentials(bot);
  const app = simulator.createApp({ permissions: "read" });
  const examine = (settings: Record<string, never> | object = {}, readOnly = false) =>
    examineTwitter(
      {
        credentials: readOnly ? simulator.credentials(bot, app) : usual,
        ...{ agentId: "agent", agentName: "Ada", settings: { ...settings }, apiRoot: simulator.url },
      },
      { log: silentLog, clock: hastyClock, signal: new AbortController().signal },
    );
  return { simulator, bot, examine };
}

it("finds nothing wrong with an account that is well, and says what is switched on", async () => {
  const { examine, simulator } = await stage();
  const findings = await examine({ mentions: true, posts: true, dryRun: true });
  expect(findings.every(({ ok }) => ok)).toBe(true);
  const told = findings.map(({ message }) => message).join("\n");
  expect(told).toMatch(/@ada_bot .* OAuth 1.0a[\s\S]*may write[\s\S]*mentions, posts[\s\S]*5 US dollars[\s\S]*dry run/);
  expect(simulator.requests).toHaveLength(1);
});

it("names what is wrong, with the remedy", async () => {
  const { examine, bot, simulator } = await stage();
  const wrong = async (settings: object = {}, readOnly = false) =>
    (await examine(settings, readOnly)).filter(({ ok }) => !ok).map(({ message, remedy }) => `${message} → ${remedy}`);
  expect(await wrong({}, true)).toEqual([expect.stringMatching(/only read → set Read and write/)]);
  expect(await wrong({ targets: true })).toEqual([expect.stringMatching(/without targetUsers/)]);
  expect(await wrong({ posts: "maybe" })).toEqual([expect.stringMatching(/true or false → correct it/)]);
  bot.setStanding("locked");
  expect(await wrong()).toEqual([expect.stringMatching(/locked.* → .*unlock/)]);
  bot.setStanding("active");
  simulator.revoke(bot);
  expect(await wrong()).toEqual([expect.stringMatching(/not valid any more → make new ones/)]);
});
