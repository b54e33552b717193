import { readCharacter } from "@troupe/core";
import { startDiscordSimulator } from "@troupe/simulator-discord";
import { startTelegramSimulator } from "@troupe/simulator-telegram";
import { afterEach, describe, expect, it } from "vitest";
import { discord } from "../clients/discord.ts";
import type { Platform } from "../clients/platform.ts";
import { telegram } from "../clients/telegram.ts";
import type { Config } from "../config.ts";
import { checkPlatforms, type PlatformLook } from "./check-platforms.ts";
import { renderFinding } from "./finding.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((simulator) => simulator.close()));
});

type Setting = Partial<Omit<PlatformLook, "config">> & {
  readonly values?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: readonly Readonly<Record<string, unknown>>[];
};

/** What the doctor says of characters, a line each. */
async function look({
  values = {},
  environment = {},
  files = [{ name: "Ada" }],
  ...given
}: Setting): Promise<string[]> {
  const characters = files.map((file) => {
    const reading = readCharacter({ bio: "Somebody.", ...file }, { source: "test" });
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    return reading.character;
  });
  const config = { values, environment } as unknown as Config;
  const usual = { platforms: [discord, telegram], isOffline: false, isRunning: false, timeoutMs: 9_000 };
  const findings = await checkPlatforms(characters, { ...usual, ...given, config });
  return findings.map((finding) => renderFinding(finding, false));
}

describe("the doctor's look at platforms", () => {
  it("knows the bot on Discord, what it may read and do, and how it is invited", async () => {
    const simulator = await startDiscordSimulator({
      bots: [{ token: "good-token", name: "Ada", privilegedIntents: [] }],
    });
    open.push(simulator);
    simulator.createGuild({ name: "Harbour" });
    const told = await look({
      values: { DISCORD_API_ROOT: simulator.apiUrl },
      environment: { DISCORD_API_TOKEN: "good-token" },
    });
    expect(told[0]).toMatch(/^✓ Discord of Ada: Discord knows the bot as Ada/);
    expect(told).toContainEqual(expect.stringMatching(/^✗ .*Message Content Intent is off.* → switch it on under Bot/));
    expect(told.join("\n")).toMatch(/oauth2\/authorize\?client_id=\d+&scope=bot\+applications\.commands/);
    expect(told.join("\n")).not.toContain("good-token");
  });

  it("knows the bot on Telegram, and leaves it alone while an agent of this home is connected", async () => {
    const token = "7000000009:the-secret-part-of-the-token-of-ada";
    const simulator = await startTelegramSimulator({ bots: [{ token, username: "ada_bot" }] });
    open.push(simulator);
    const setting = { values: { TELEGRAM_API_ROOT: simulator.url }, environment: { TELEGRAM_BOT_TOKEN: token } };
    const running = await look({ ...setting, isRunning: true });
    expect(running).toEqual([expect.stringMatching(/^✓ Telegram of Ada: An agent of this home is connected/)]);
    expect(simulator.requests()).toEqual([]);
    simulator.fault("getUpdates", { type: "answer", answer: { status: 200, body: { ok: true, result: [] } } });
    const told = await look(setting);
    expect(told[0]).toBe("✓ Telegram of Ada: The token is that of @ada_bot.");
    expect(told.join("\n")).toContain("Privacy mode is on");
    expect(told.join("\n")).not.toContain("secret-part");
  });

  it("says what a token is refused with, and never the token", async () => {
    const simulator = await startDiscordSimulator();
    open.push(simulator);
    const told = await look({
      values: { DISCORD_API_ROOT: simulator.apiUrl },
      environment: { DISCORD_API_TOKEN: "revoked-token" },
    });
    expect(told).toEqual([expect.stringMatching(/^✗ Discord of Ada: .*does not accept.* → /)]);
    expect(told[0]).not.toContain("revoked-token");
  });

  it("asks nobody offline, and is quiet about platforms nobody wants", async () => {
    const environment = { DISCORD_API_TOKEN: "some-token" };
    expect(await look({ environment, isOffline: true })).toEqual([
      "✓ Discord of Ada: DISCORD_API_TOKEN: there (not asked)",
    ]);
    expect(await look({ environment, files: [{ name: "Ada", platforms: { discord: { enabled: false } } }] })).toEqual(
      [],
    );
    const [wanting] = await look({ files: [{ name: "Ada", platforms: { telegram: { enabled: true } } }] });
    expect(wanting).toMatch(/^✗ Telegram of Ada: .*TELEGRAM_BOT_TOKEN is not set/);
  });

  it("names who speaks for an account that two want", async () => {
    const eager = { platforms: { discord: { enabled: true } } };
    const files = [
      { name: "Ada", ...eager },
      { name: "Bo", ...eager },
    ];
    const told = await look({ environment: { DISCORD_API_TOKEN: "one-token" }, files, isOffline: true });
    expect(told[1]).toMatch(
      /^! Discord of Bo: Ada speaks for that account already → give it its own DISCORD_API_TOKEN/,
    );
  });

  it("waits for nobody for long", async () => {
    const silent: Platform = {
      ...discord,
      name: "silent",
      title: "Silent",
      examine: () => new Promise(() => undefined),
    };
    const told = await look({ platforms: [silent], environment: { DISCORD_API_TOKEN: "t" }, timeoutMs: 20 });
    expect(told).toEqual([expect.stringContaining("Silent did not answer within 0 s")]);
  });
});
