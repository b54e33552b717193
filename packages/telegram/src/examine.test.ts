import { silentLog } from "@troupe/core";
import { expect, it } from "vitest";
import { examineTelegram } from "./examine.ts";
import { connect, openTelegram } from "./testing/stage.ts";

const signal = new AbortController().signal;
const base = { agentId: "agent", agentName: "Ada", settings: {} };

it("finds nothing wrong with a bot that is ready", async () => {
  const simulator = await openTelegram();
  simulator.createUser().say(simulator.bot(), "hello");
  const options = { ...base, token: simulator.bot().token(), apiRoot: simulator.url };
  const findings = await examineTelegram(options, { log: silentLog, signal });
  expect(findings.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(findings[0]?.message).toContain("@ada_bot");
  expect(findings[1]?.message).toContain("reads everything");
  expect(findings[2]?.message).toContain("Messages wait");
  expect(simulator.bot().updates.pending()).toBe(1);
});

it("names what is wrong, and the remedy", async () => {
  const simulator = await openTelegram({ bots: [{ username: "ada_bot" }] });
  const token = simulator.bot().token();
  const look = (more: object) =>
    examineTelegram({ ...base, token, apiRoot: simulator.url, ...more }, { log: silentLog, signal });
  expect(await look({ token: "nonsense" })).toEqual([{ ok: false, message: expect.stringContaining("@BotFather") }]);
  expect(await look({ token: "1:abc" })).toEqual([
    { ok: false, message: expect.stringContaining("TELEGRAM_BOT_TOKEN") },
  ]);
  expect(await look({ settings: { repliesIn: "sometimes" } })).toEqual([
    { ok: false, message: expect.stringContaining("repliesIn") },
  ]);
  expect(await look({ apiRoot: "http://127.0.0.1:9" })).toMatchObject([
    { ok: false, remedy: expect.stringContaining("connection") },
  ]);
  const url = "http://127.0.0.1:9/hook";
  simulator.bot().updates.hold();
  await fetch(`${simulator.url}/bot${token}/setWebhook?url=${url}`);
  const findings = await look({});
  expect(findings).toContainEqual(expect.objectContaining({ ok: false, message: expect.stringContaining("webhook") }));
  expect(findings).toContainEqual(expect.objectContaining({ message: expect.stringContaining("Privacy mode") }));
  expect(await look({ webhook: { url } })).toContainEqual(
    expect.objectContaining({ ok: true, message: expect.stringContaining("0 wait") }),
  );
});

it("finds another program that asks for the updates", async () => {
  const { simulator } = await connect();
  const body = { ok: false, error_code: 409, description: "Conflict: terminated by other getUpdates request" };
  simulator.fault("getUpdates", { type: "answer", answer: { status: 409, body } });
  const options = { ...base, token: simulator.bot().token(), apiRoot: simulator.url };
  const findings = await examineTelegram(options, { log: silentLog, signal });
  expect(findings.at(-1)).toMatchObject({ ok: false, message: expect.stringContaining("Another program") });
});
