import { systemClock } from "@troupe/core/clock";
import { silentLog } from "@troupe/core/log";
import { afterEach, expect, it } from "vitest";
import { examineDiscord } from "./examine.ts";
import { openScene, type Scene, toOptions } from "./testing/scene.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  await Promise.all(scenes.splice(0).map((scene) => scene.close()));
});

const parts = { clock: systemClock, log: silentLog };

async function examine(
  change: (scene: Scene) => void,
  options: object = {},
): Promise<{ scene: Scene; said: string; bad: string }> {
  const scene = await openScene({ bots: [{ token: "a-secret-token" }] });
  scenes.push(scene);
  change(scene);
  const findings = await examineDiscord({ ...toOptions(scene.simulator, scene.bot), ...options }, parts);
  const line = ({ message, remedy = "" }: { message: string; remedy?: string }): string => `${message} ${remedy}`;
  return {
    scene,
    said: findings.map(line).join("\n"),
    bad: findings
      .filter(({ ok }) => !ok)
      .map(line)
      .join("\n"),
  };
}

it("finds a bot that is set up, and says how to invite it with exactly what it needs", async () => {
  const { scene, said } = await examine(() => undefined);
  expect(said).toContain("Message Content Intent is on");
  expect(said).toContain(`client_id=${scene.bot.id}&scope=bot+applications.commands&permissions=`);
  expect(said).not.toContain("a-secret-token");
});

it("names intents that are off and permissions that are missing", async () => {
  const { bad } = await examine(({ bot, guild }) => {
    bot.setPrivilegedIntents([]);
    guild.setEveryonePermissions(["VIEW_CHANNEL"]);
  });
  expect(bad).toContain("Message Content Intent is off");
  expect(bad).toMatch(/In Harbour the bot lacks: .*Send Messages/);
});

it("names a wrong token, a Discord that is not there, and options that are wrong", async () => {
  expect((await examine(() => undefined, { token: "wrong" })).bad).toContain("DISCORD_API_TOKEN");
  expect((await examine(() => undefined, { rest: { api: "http://127.0.0.1:9/api" } })).bad).toContain(
    "cannot be reached",
  );
  expect((await examine(() => undefined, { token: "" })).bad).toContain("DISCORD_API_TOKEN");
});

it("says that a bot is nowhere yet", async () => {
  const { bad } = await examine(({ guild }) => guild.delete());
  expect(bad).toContain("invite it with: https://discord.com/oauth2/authorize");
});
