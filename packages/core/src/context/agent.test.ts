import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createEpisodeCapability } from "../episode/episode-capability.ts";
import { createTaskCapability } from "../task/task-capability.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { createStages } from "../testing/stage.ts";
import { context } from "./context.ts";
import { schedule, webhook } from "./input.ts";

const stages = createStages();
afterEach(() => stages.close());

describe("an agent's contexts", () => {
  const desk = context({
    type: "desk",
    schema: z.string(),
    state: z.object({ notes: z.array(z.string()) }),
    create: () => ({ notes: [] }),
    render: ({ state }) => `Notes: ${state.notes.join(", ")}`,
  })
    .action({
      name: "NOTE",
      description: "Notes something.",
      schema: z.object({ text: z.string() }),
      handler: ({ text }, { ctx }) => ctx.update(({ notes }) => ({ notes: [...notes, text] })),
    })
    .input({
      name: "order",
      source: webhook({
        path: "orders",
        verify: ({ headers }) => headers.get("x-key") === "right",
        read: ({ body }) => ({ args: "ada", value: body, eventId: "order-1" }),
      }),
    })
    .input({
      name: "morning",
      source: schedule({ type: "every", everyMs: 60_000 }, { args: "ada", value: "Good morning" }),
    });
  const plugins = [{ name: "shop", contexts: [desk] }];
  const note = (text: string) => `<action name="NOTE">{"text": "${text}"}</action>`;

  it("take a webhook of a plugin's context once, however often it is sent", async () => {
    const { agent } = await stages.open({ script: [note("one"), "Noted."], plugins });
    const post = async (key: string) => {
      const request = { method: "POST", headers: { "x-key": key }, body: '"tea"' };
      return (await agent.handleRoute(new Request("http://localhost/contexts/desk/orders", request))).status;
    };
    expect([await post("wrong"), await post("right"), await post("right")]).toEqual([401, 202, 202]);
    await agent.idle();
    expect(await agent.getContext(desk.ref("ada"))).toMatchObject({ state: { notes: ["one"] } });
  });

  it("are told at their time, over a restart too", async () => {
    const clock = createSetClock();
    const store = createMemoryStore({ clock });
    const setting = { plugins, store, capabilities: [createTaskCapability] };
    const first = await stages.open({ ...setting, script: [] });
    await first.agent.stop(0);
    const script = [note("woken"), "Good morning."];
    const second = await stages.open({ ...setting, script });
    await second.clock.advance(61_000);
    await second.agent.idle();
    expect(await second.agent.getContext(desk.ref("ada"))).toMatchObject({ state: { notes: ["woken"] } });
  });

  it("leave an episode of each run, which is brought up when something like it comes", async () => {
    const { agent, model, store } = await stages.open({
      script: [note("tea"), "I noted the tea.", "You wanted tea."],
      plugins,
      capabilities: [createEpisodeCapability],
    });
    await agent.run(desk.ref("ada"), { text: "Please note the tea", from: { id: "u", name: "Ada" } });
    await agent.idle();
    const [episode] = await store.memories.list(agent.agentId, { types: ["episode"], limit: 9 });
    expect(episode?.content.text).toBe('Ada: Please note the tea\n[NOTE]: {"text":"tea"}\nAda: I noted the tea.');
    await agent.run(desk.ref("ada"), "What was it about the tea?");
    const asked = model.requests
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join("\n");
    expect(asked).toMatch(/<episodes>[^]*Please note the tea[^]*<\/episodes>/);
  });

  it("go with the plugin that brings them", async () => {
    const { agent } = await stages.open({ script: [], plugins: [...plugins, { name: "rival", contexts: [desk] }] });
    expect(await agent.getContexts({ limit: 9 })).toEqual([]);
    await expect(agent.send(desk.ref("ada"), { input: "nothing" })).rejects.toThrow(/has order, morning/);
  });
});
