import { afterEach, describe, expect, it, vi } from "vitest";
import type { Client } from "../client/client.ts";
import { ClientError } from "../errors.ts";
import { silentLog } from "../log.ts";
import { createInbound } from "../testing/create-inbound.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createScriptedClient } from "../testing/scripted-client.ts";
import { createScriptedModel } from "../testing/scripted-model.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { stageCharacter } from "../testing/stage.ts";
import { type Agent, createAgent } from "./agent.ts";
import { connectClients } from "./connect-clients.ts";

const agents: Agent[] = [];
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.stop(0)));
});

function connecting() {
  const clock = createSetClock();
  const { signal } = new AbortController();
  const connected: string[] = [];
  const parts = { receive: async () => undefined, signal, clock, log: silentLog };
  return { ...parts, connected, onConnected: () => void connected.push("one") };
}

const refusing = (why: string): Client => ({
  ...createScriptedClient({ agentId: "agent" }),
  start: () => Promise.reject(new ClientError("unauthorized", why)),
});

describe("connecting clients", () => {
  it("goes on with those that connect when one refuses", async () => {
    const parts = connecting();
    await connectClients([refusing("bad token"), createScriptedClient({ agentId: "agent" })], parts);
    expect(parts.connected).toEqual(["one"]);
  });

  it("fails with the first refusal when every client refuses", async () => {
    await expect(connectClients([refusing("bad token"), refusing("worse")], connecting())).rejects.toThrow("bad token");
  });

  it("waits for nobody that takes long, and tells when it is there after all", async () => {
    const parts = connecting();
    const late = Promise.withResolvers<void>();
    const slow: Client = { ...createScriptedClient({ agentId: "agent" }), start: () => late.promise };
    const done = vi.fn();
    const all = connectClients([slow], parts).then(done);
    await parts.clock.advance(9_000);
    expect(done).not.toHaveBeenCalled();
    await parts.clock.advance(2_000);
    await all;
    expect(parts.connected).toEqual([]);
    late.resolve();
    await parts.clock.advance(0);
    expect(parts.connected).toEqual(["one"]);
  });
});

it("answers what waits for a client that connects late, once it is there", async () => {
  const character = stageCharacter();
  const clock = createSetClock();
  const store = createMemoryStore({ clock });
  const client = createScriptedClient({ agentId: character.id ?? "" });
  const waiting = createInbound(
    { agentId: character.id ?? "", platform: client.platform, account: client.account },
    { text: "Hello Ada", eventId: "1", at: clock.now() },
  );
  await store.inbox.accept(character.id ?? "", waiting, { at: clock.now() });
  const there = Promise.withResolvers<void>();
  const late: Client = {
    ...client,
    get account() {
      return isThere ? client.account : "not known yet";
    },
    start: async (receive, signal) => {
      await there.promise;
      isThere = true;
      await client.start(receive, signal);
    },
  };
  let isThere = false;
  const model = createScriptedModel(['{"text":"Here I am."}']);
  const models = { TEXT_SMALL: model, TEXT_LARGE: model };
  const parts = { character, store, clock, models, clients: [late], random: () => 0.5, log: silentLog, owner: "test" };
  const agent = createAgent(parts);
  agents.push(agent);
  const started = agent.start();
  await clock.advance(20_000);
  await started;
  await agent.idle();
  expect(client.shown()).toEqual([]);
  there.resolve();
  await clock.advance(0);
  await agent.idle();
  expect(client.shown().map(({ text }) => text)).toEqual(["Here I am."]);
});
