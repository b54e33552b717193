import { afterEach, describe, expect, it } from "vitest";
import type { Delivery } from "../outbox/delivery.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createStages, type Setting, type Stage } from "../testing/stage.ts";
import { createTaskCapability } from "./task-capability.ts";

const stages = createStages();
afterEach(() => stages.close());

const hour = 3_600_000;
const open = (more: Partial<Setting> = {}): Promise<Stage> =>
  stages.open({ script: [], capabilities: [createTaskCapability], ...more });

type Asking = { readonly from?: string; readonly room?: string; readonly channelType?: "dm" | "group" };

/** Somebody asks by command, and everything that causes happens; what they are answered. */
async function ask(stage: Stage, name: string, parameters: Record<string, string>, asking: Asking = {}) {
  await stage.client.hear(`/${name}`, { from: "Bo", ...asking, command: { name, parameters } });
  await stage.agent.idle();
  return stage.texts().at(-1) ?? "";
}

const remind = (stage: Stage, what: string, when?: string, asking?: Asking): Promise<string> =>
  ask(stage, "remind", { what, ...(when !== undefined && { when }) }, asking);

describe("a reminder", () => {
  it("is confirmed with its time and comes once, by name, without a model", async () => {
    const stage = await open();
    expect(await remind(stage, "call mum", "in two hours")).toBe(
      "I will remind you: Thursday, 2026-01-01 02:00 (UTC): call mum. I go by the clocks of UTC; tell me your time zone if it is another.",
    );
    await stage.clock.advance(2 * hour);
    expect(stage.texts().slice(1)).toEqual(["⏰ Bo: call mum"]);
    await stage.clock.advance(100 * hour);
    expect(stage.texts()).toHaveLength(2);
    expect(stage.model.requests).toEqual([]);
  });

  it("quotes nothing that was never said", async () => {
    const quoted: (string | undefined)[] = [];
    const onSend = (_point: string, { inReplyToText, content }: Delivery): void =>
      void quoted.push(inReplyToText, content.inReplyTo);
    const stage = await open({ client: { onSend } });
    await remind(stage, "call mum", "in two hours");
    quoted.length = 0;
    await stage.clock.advance(2 * hour);
    expect(new Set(quoted)).toEqual(new Set([undefined]));
  });

  it("is asked for in the words of a conversation, through the model", async () => {
    const call = { name: "remind", parameters: { what: "call mum", when: "in 2 hours" } };
    const stage = await open({ script: [JSON.stringify({ text: "Sure.", actions: [call] })] });
    await stage.say("Remind me in 2 hours to call mum");
    await stage.clock.advance(2 * hour);
    expect(stage.texts()[0]).toBe("Sure.");
    expect(stage.texts().slice(1)).toContain("⏰ user: call mum");
  });

  it("may be said in one breath", async () => {
    const stage = await open();
    expect(await ask(stage, "remind", { text: "tomorrow at 8 to call mum" })).toContain(
      "2026-01-02 08:00 (UTC): call mum",
    );
  });

  it("that repeats comes again and again", async () => {
    const stage = await open();
    expect(await remind(stage, "stand up", "every 2 hours")).toContain(
      "every 2 hours, next Thursday, 2026-01-01 02:00",
    );
    await stage.clock.advance(5 * hour);
    expect(stage.texts().slice(1)).toEqual(["⏰ Bo: stand up", "⏰ Bo: stand up"]);
  });

  it("comes by the clocks of its person, who needs to say them once", async () => {
    const stage = await open();
    const first = await ask(stage, "remind", { what: "tea", when: "at 9", timeZone: "Tokyo" });
    expect(first).toBe("I will remind you: Friday, 2026-01-02 09:00 (Asia/Tokyo): tea.");
    expect(await remind(stage, "lunch", "at 13:00")).toContain("2026-01-01 13:00 (Asia/Tokyo)");
    expect(await remind(stage, "tea", "at 9", { from: "Cy" })).toContain("(UTC)");
    expect(await ask(stage, "remind", { what: "x", when: "at 9", timeZone: "Narnia" })).toContain("no time zone");
  });

  it("goes by the character's clocks where its person has said nothing", async () => {
    const stage = await open({ character: { settings: { timeZone: "Europe/Berlin" } } });
    expect(await remind(stage, "tea", "at 9")).toMatch(/09:00 \(Europe\/Berlin\): tea\. I go by the clocks of Europe/u);
  });

  it.each([
    ["tea", "yesterday", "has passed already"],
    ["tea", "whenever", "cannot read a time"],
    ["tea", undefined, "When?"],
    ["tomorrow at 8", undefined, "Of what?"],
    ["tea", "every 5 seconds", "once a minute at most"],
    ["tea", "*/5 * * * * *", "once a minute at most"],
    ["x".repeat(1_001), "at 9", "too long"],
  ])("of %s at %s is refused with the remedy", async (what, when, why) => {
    const stage = await open();
    expect(await remind(stage, what, when)).toContain(why);
    expect(await stage.store.tasks.list(stage.agent.agentId, { limit: 9 })).toEqual([]);
  });

  it("comes after a restart, with its time where it is late, and once", async () => {
    const store = createMemoryStore();
    const first = await open({ store });
    await remind(first, "call mum", "in two hours");
    await first.agent.stop(0);
    const second = await open({ store, startAt: first.clock.now() + 5 * hour });
    await second.agent.idle();
    expect(second.texts()).toEqual(["⏰ Bo: call mum (Thursday, 2026-01-01 02:00 (UTC))"]);
    await second.agent.stop(0);
    const third = await open({ store, startAt: first.clock.now() + 6 * hour });
    await third.agent.idle();
    expect(third.texts()).toEqual([]);
  });
});

describe("the list of reminders", () => {
  it("shows a person's own, and in a group only what was asked for there", async () => {
    const stage = await open();
    expect(await ask(stage, "reminders", {})).toBe("You have no reminders here.");
    await remind(stage, "call mum", "in 3 hours");
    await remind(stage, "buy milk", "in 1 hour", { room: "kitchen", channelType: "group" });
    await remind(stage, "sing", "in 1 hour", { from: "Cy" });
    const own = await ask(stage, "reminders", {});
    expect(own).toMatch(/^1\. .*01:00 \(UTC\): buy milk\n2\. .*03:00 \(UTC\): call mum$/u);
    const there = await ask(stage, "reminders", {}, { room: "kitchen", channelType: "group" });
    expect(there).toMatch(/^1\. [^\n]*buy milk$/u);
  });

  it("is what one is taken back from: by number, words or id, one's own only", async () => {
    const stage = await open();
    for (const [what, when] of [
      ["call mum", "in 1 hour"],
      ["call dad", "in 2 hours"],
      ["tea", "in 3 hours"],
    ] as const) {
      await remind(stage, what, when);
    }
    const cancel = (which: string, asking?: Asking) => ask(stage, "cancel_reminder", { which }, asking);
    expect(await cancel("1", { from: "Cy" })).toContain("no reminders");
    expect(await cancel("call")).toMatch(/Several could be meant.*\n1\. .*mum\n2\. .*dad/u);
    expect(await cancel("9")).toContain("No reminder is");
    expect(await cancel("TEA")).toContain("Taken back");
    expect(await cancel("1")).toContain("call mum");
    await stage.clock.advance(5 * hour);
    expect(stage.texts().filter((text) => text.startsWith("⏰"))).toEqual(["⏰ Bo: call dad"]);
  });
});

describe("a question to the character itself", () => {
  it("is answered in its room at its time, and by nobody where no person planned it", async () => {
    const stage = await open({ script: ["Hello.", "Good morning, everybody!"] });
    await stage.say("hi");
    const [row] = await stage.store.rooms.rooms(stage.agent.agentId, { limit: 1 });
    await stage.agent.tasks()?.put({
      id: "greet",
      name: "Greeting",
      kind: "ask",
      payload: { text: "Wish everybody a good morning." },
      schedule: { type: "once", at: stage.clock.now() + hour },
      ...(row && { roomId: row.room.id }),
    });
    await stage.clock.advance(hour);
    await stage.agent.idle();
    expect(stage.texts().at(1)).toBe("Good morning, everybody!");
    expect(JSON.stringify(stage.model.requests[1]?.messages)).toContain("Wish everybody a good morning.");
  });

  it("that has no room says so", async () => {
    const stage = await open();
    const tasks = stage.agent.tasks();
    const schedule = { type: "every", everyMs: hour } as const;
    await tasks?.put({ id: "greet", name: "Greeting", kind: "ask", payload: { text: "Hi" }, schedule });
    await stage.clock.advance(2 * hour);
    expect(await tasks?.get("greet")).toMatchObject({ state: "paused", lastError: expect.stringContaining("a room") });
  });
});
