import { afterEach, describe, expect, it } from "vitest";
import type { CreateCapability } from "../capability/capability.ts";
import { createStages } from "../testing/stage.ts";

const stages = createStages();
afterEach(() => stages.close());

const told =
  (lines: string[], name: string): CreateCapability =>
  () => ({
    name,
    start: () => void lines.push(`${name} starts`),
    stop: () => void lines.push(`${name} stops`),
  });

describe("capabilities", () => {
  it("begin in order and end in reverse order", async () => {
    const lines: string[] = [];
    const { agent } = await stages.open({ script: [], capabilities: [told(lines, "one"), told(lines, "two")] });
    await agent.stop(0);
    expect(lines).toEqual(["one starts", "two starts", "two stops", "one stops"]);
  });

  it("are left out one by one when they cannot be made, started or stopped", async () => {
    const lines: string[] = [];
    const capabilities: CreateCapability[] = [
      () => {
        throw new Error("no");
      },
      () => ({
        name: "bad start",
        start: () => Promise.reject(new Error("no")),
        stop: () => Promise.reject(new Error()),
      }),
      told(lines, "good"),
    ];
    const { agent, say, texts } = await stages.open({ script: ['{"text":"Hi."}'], capabilities });
    await say("Hello Ada");
    expect(texts()).toEqual(["Hi."]);
    await agent.stop(0);
    expect(lines).toEqual(["good starts", "good stops"]);
  });

  it("bring providers, actions and who does their jobs", async () => {
    const done: unknown[] = [];
    const capability: CreateCapability = ({ agentId, store, wakeJobs, clock }) => ({
      name: "notes",
      providers: [{ name: "NOTES", position: 0, get: () => ({ text: "Noted: tea." }) }],
      actions: [
        {
          name: "NOTE",
          similes: [],
          description: "Note something.",
          async run({ callId }) {
            const job = { id: callId, kind: "note", payload: { callId }, runAt: clock.now() };
            await store.admin.write(agentId, [{ type: "job.put", job }]);
            wakeJobs();
            return { success: true };
          },
        },
      ],
      jobs: { note: { run: async (payload) => void done.push(payload) } },
    });
    const stage = await stages.open({ script: ['{"actions":["NOTE"],"text":"Noted."}'], capabilities: [capability] });
    await stage.say("Ada, note tea");
    expect(done).toHaveLength(1);
    expect(JSON.stringify(stage.model.requests)).toContain("Noted: tea.");
  });
});
