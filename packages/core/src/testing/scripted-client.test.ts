import { describe, expect, it } from "vitest";
import type { Guarantee } from "../client/client.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { type ClientHarness, clientContract, type SendFailure } from "./client-contract.ts";
import { createDelivery } from "./create-delivery.ts";
import { onMessages } from "./on-messages.ts";
import { createScriptedClient, type ScriptedClientOptions } from "./scripted-client.ts";

const failures: readonly SendFailure[] = ["not-sent", "unknown", "rejected"];

function open(guarantee: Guarantee): ClientHarness {
  const edits = { intervalMs: 0, canRemove: true };
  const client = createScriptedClient({ agentId: "agent", guarantee, edits, social: ["like"] });
  let said = 0;
  return {
    client,
    target: "lobby",
    say: async (text) => {
      said += 1;
      await client.hear(text, { eventId: `said-${said}` });
    },
    sayAgain: async () => void (await client.hear("twice", { eventId: `said-${said}` })),
    shown: () => client.shown().map((shown) => shown.text),
    failNext: (type) => client.failNext(type === "unknown" ? { type, isApplied: true } : { type }),
    close: () => Promise.resolve(),
  };
}

for (const guarantee of ["nonce", "lookup", "none"] as const) {
  clientContract(`the scripted client with guarantee ${guarantee}`, () => open(guarantee), {
    guarantee,
    edits: true,
    sayAgain: true,
    failures,
  });
}

async function started(options: Partial<ScriptedClientOptions> = {}) {
  const client = createScriptedClient({ agentId: "agent", ...options });
  const heard: Inbound[] = [];
  const controller = new AbortController();
  await client.start(
    onMessages((inbound) => heard.push(inbound)),
    controller.signal,
  );
  return { client, heard, controller };
}

describe("the scripted client", () => {
  it("hears what a test says, from whom and where the test says", async () => {
    const { client, heard } = await started();
    await client.hear("hi", { from: "Paul", room: "garden", channelType: "group", mention: { mentionsAgent: true } });
    expect(heard[0]).toMatchObject({
      room: { platformId: "garden", channelType: "group" },
      entity: { name: "Paul" },
      memory: { agentId: "agent", content: { text: "hi", mentionContext: { mentionsAgent: true } } },
    });
  });

  it("tells an unknown outcome that arrived from one that did not", async () => {
    const { client } = await started({ guarantee: "none" });
    const { signal } = new AbortController();
    client.failNext({ type: "unknown", isApplied: false });
    await client.send(createDelivery(client, "lobby", "lost", 0), signal);
    client.failNext({ type: "unknown", isApplied: true });
    await client.send(createDelivery(client, "lobby", "arrived", 1), signal);
    expect(client.shown().map((shown) => shown.text)).toEqual(["arrived"]);
  });

  it("hangs until the send is called off", async () => {
    const { client } = await started();
    const controller = new AbortController();
    client.failNext({ type: "hangs" });
    const sent = client.send(createDelivery(client, "lobby", "never"), controller.signal);
    controller.abort();
    expect(await sent).toMatchObject({ type: "unknown" });
    expect(client.shown()).toEqual([]);
  });

  it("counts the sends it refused as repeats", async () => {
    const { client } = await started({ guarantee: "nonce" });
    const delivery = createDelivery(client, "lobby", "once");
    await client.send(delivery, new AbortController().signal);
    await client.send(delivery, new AbortController().signal);
    expect(client.repeats()).toBe(1);
  });

  it("shows where the agent seems to be thinking", async () => {
    const { client } = await started();
    const ends = [client.typing?.start("lobby"), client.typing?.start("lobby")];
    ends[0]?.();
    expect(client.typingIn()).toEqual(["lobby"]);
    ends[1]?.();
    expect(client.typingIn()).toEqual([]);
  });

  it("hears nothing once it has ended", async () => {
    const { client, controller } = await started();
    controller.abort();
    await expect(client.hear("too late")).rejects.toThrow("has ended");
  });
});
