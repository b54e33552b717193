import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Client, SendResult } from "../client/client.ts";
import { isChange } from "../inbox/change.ts";
import type { Inbound } from "../inbox/inbound.ts";
import { createDelivery } from "./create-delivery.ts";

/** What can be made to go wrong with the next send. */
export type SendFailure = "not-sent" | "unknown" | "rejected";

/** A client with its platform, as the contract needs them. What a platform cannot do is left out, and not tested. */
export type ClientHarness = {
  readonly client: Client;
  /** The platform's id of a room the agent may write to; the one in which `say` speaks. */
  readonly target: string;
  /** Somebody writes to the agent. May reject once the client has ended. */
  say(text: string): void | Promise<void>;
  /** The platform offers the event of the last `say` once more. */
  sayAgain?(): void | Promise<void>;
  /** How many events the platform takes for received. */
  acknowledged?(): number | Promise<number>;
  /** What the other side sees of the agent, oldest first: bare texts, a corrected one in its last form. */
  shown(): readonly string[] | Promise<readonly string[]>;
  /** The next send or edit fails in this way. */
  failNext?(failure: SendFailure): void;
  /** Makes the platform send something malformed, unknown or absurd. */
  readonly oddities?: readonly (() => void | Promise<void>)[];
  /** Ends what `open` opened, after the client's signal was aborted. */
  close(): Promise<void>;
};

type Open = () => ClientHarness | Promise<ClientHarness>;

/** What every client must keep, whatever it talks to. Call it at the top of a test file; `open` is called for every test. */
export function clientContract(name: string, open: Open, abilities: ClientAbilities): void {
  describe(`the client contract, kept by ${name}`, () => {
    describeHearing(open, abilities);
    describeSending(open, abilities);
    describeGuarantee(open, abilities);
    if (abilities.edits) describeEdits(open, abilities);
  });
}

/** What the client under test and its harness can do; the rest of the contract is not asked for. */
export type ClientAbilities = {
  readonly guarantee: "nonce" | "lookup" | "none";
  readonly edits?: boolean;
  readonly sayAgain?: boolean;
  readonly acknowledged?: boolean;
  readonly failures?: readonly SendFailure[];
  readonly oddities?: boolean;
};

/** A running client; `heard` grows as it hears. `onReceive` decides what the engine does with what is heard. */
type Stage = ClientHarness & {
  readonly heard: readonly Inbound[];
  readonly signal: AbortSignal;
  stop(): void;
  onReceive(act: (inbound: Inbound) => Promise<void>): void;
};

function useStage(open: Open): () => Stage {
  let stage: Stage | null = null;
  beforeEach(async () => {
    const harness = await open();
    const controller = new AbortController();
    const heard: Inbound[] = [];
    let act: (inbound: Inbound) => Promise<void> = () => Promise.resolve();
    await harness.client.start(async (told) => {
      if (isChange(told)) return;
      heard.push(told);
      await act(told);
    }, controller.signal);
    stage = {
      ...harness,
      heard,
      signal: controller.signal,
      stop: () => controller.abort(),
      onReceive: (given) => {
        act = given;
      },
    };
  });
  afterEach(async () => {
    stage?.stop();
    await stage?.close();
    stage = null;
  });
  return () => {
    if (!stage) throw new Error("The client is used outside of a test.");
    return stage;
  };
}

const until = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 5_000, interval: 5 });

function texts(stage: Stage): readonly string[] {
  return stage.heard.map((inbound) => inbound.memory.content.text);
}

function describeHearing(open: Open, abilities: ClientAbilities): void {
  const at = useStage(open);

  it("names its platform, its account and sane limits", () => {
    const { client } = at();
    expect(client.platform).toMatch(/^[a-z]+$/);
    expect(client.account).not.toBe("");
    expect(Number.isSafeInteger(client.limits.textLength) && client.limits.textLength > 0).toBe(true);
  });

  it("hands over a whole, consistent event", async () => {
    const stage = at();
    await stage.say("Hello, you 👋🏽");
    await until(() => expect(stage.heard).toHaveLength(1));
    const [inbound] = stage.heard;
    expect(inbound).toMatchObject({
      room: { platform: stage.client.platform, account: stage.client.account, platformId: stage.target },
      entity: { platform: stage.client.platform, account: stage.client.account, name: expect.stringMatching(/./) },
      memory: { type: "message", roomId: inbound?.room.id, entityId: inbound?.entity.id },
    });
    expect(inbound?.eventId).not.toBe("");
    expect(inbound?.memory.content).toMatchObject({ text: "Hello, you 👋🏽", source: stage.client.platform });
    expect(inbound?.memory.content.channelType).toBe(inbound?.room.channelType);
    expect(Number.isFinite(inbound?.memory.createdAt)).toBe(true);
  });

  it("hears in order, one event after the other, the same person in the same room", async () => {
    const stage = at();
    for (const text of ["one", "two", "three"]) await stage.say(text);
    await until(() => expect(texts(stage)).toEqual(["one", "two", "three"]));
    const distinct = (values: readonly string[]): number => new Set(values).size;
    expect(distinct(stage.heard.map((inbound) => inbound.eventId))).toBe(3);
    expect(distinct(stage.heard.map((inbound) => inbound.memory.id))).toBe(3);
    expect(distinct(stage.heard.map((inbound) => inbound.room.id))).toBe(1);
    expect(distinct(stage.heard.map((inbound) => inbound.entity.id))).toBe(1);
  });

  it("goes on hearing after the engine could not keep an event", async () => {
    const stage = at();
    stage.onReceive(async () => {
      stage.onReceive(() => Promise.resolve());
      throw new Error("the disk is full");
    });
    await Promise.allSettled([stage.say("first")]);
    await until(() => expect(texts(stage)).toContain("first"));
    await stage.say("second");
    await until(() => expect(texts(stage)).toContain("second"));
  });

  it("hears nothing after its end", async () => {
    const stage = at();
    await stage.say("before");
    await until(() => expect(texts(stage)).toEqual(["before"]));
    stage.stop();
    await Promise.allSettled([stage.say("after")]);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(texts(stage)).toEqual(["before"]);
  });

  if (abilities.acknowledged) {
    it("acknowledges an event only once the engine has it", async () => {
      const stage = at();
      const kept = Promise.withResolvers<void>();
      stage.onReceive(() => kept.promise);
      const said = Promise.allSettled([stage.say("precious")]);
      await until(() => expect(texts(stage)).toEqual(["precious"]));
      expect(await stage.acknowledged?.()).toBe(0);
      kept.resolve();
      await said;
      await until(async () => expect(await stage.acknowledged?.()).toBe(1));
    });
  }

  if (abilities.sayAgain) {
    it("gives an event that comes again the same ids", async () => {
      const stage = at();
      await stage.say("twice");
      await stage.sayAgain?.();
      await until(() => expect(stage.heard.length).toBeGreaterThan(1));
      const [first, second] = stage.heard;
      expect(second?.eventId).toBe(first?.eventId);
      expect(second?.memory.id).toBe(first?.memory.id);
    });
  }

  if (abilities.oddities) {
    it("survives whatever the platform sends", async () => {
      const stage = at();
      for (const odd of stage.oddities ?? []) await Promise.allSettled([odd()]);
      await stage.say("still here?");
      await until(() => expect(texts(stage)).toContain("still here?"));
      for (const text of texts(stage)) expect(text.isWellFormed()).toBe(true);
    });
  }
}

const deliveryKinds = ["like", "unlike", "retweet", "unretweet", "quote", "bookmark", "follow"] as const;

function expectSent(result: SendResult): string {
  expect(result).toMatchObject({ type: "sent", platformId: expect.stringMatching(/./) });
  return result.type === "sent" ? result.platformId : "";
}

function describeSending(open: Open, abilities: ClientAbilities): void {
  const at = useStage(open);

  it("shows what it sends, in order", async () => {
    const stage = at();
    const { client, target, signal } = stage;
    for (const [n, text] of ["Hello!", "שלום, 漢字 and 👩‍👩‍👧‍👦", "*stars* <tags> & `ticks`"].entries()) {
      expectSent(await client.send(createDelivery(client, target, text, n), signal));
    }
    await until(async () =>
      expect(await stage.shown()).toEqual(["Hello!", "שלום, 漢字 and 👩‍👩‍👧‍👦", "*stars* <tags> & `ticks`"]),
    );
  });

  it("shows a text as long as its limit allows", async () => {
    const stage = at();
    const { client, target, signal } = stage;
    const text = "word ".repeat(Math.min(20_000, client.limits.textLength) / 5).trim();
    expectSent(await client.send(createDelivery(client, target, text), signal));
    await until(async () => expect(await stage.shown()).toEqual([text]));
  });

  it("refuses kinds of delivery it does not know, in words", async () => {
    const { client, target, signal } = at();
    const foreign = deliveryKinds.filter((kind) => !client.social?.includes(kind));
    for (const kind of foreign) {
      const result = await client.send({ ...createDelivery(client, target, ""), kind }, signal);
      expect(result).toMatchObject({ type: "rejected", error: expect.stringMatching(/./) });
    }
  });

  it("lets typing nest and end twice", () => {
    const { client, target } = at();
    const ends = [client.typing?.start(target), client.typing?.start(target)];
    for (const end of [...ends, ...ends]) end?.();
  });

  for (const failure of abilities.failures ?? []) {
    it(`answers "${failure}" in words, then goes on`, async () => {
      const stage = at();
      const { client, target, signal } = stage;
      stage.failNext?.(failure);
      const result = await client.send(createDelivery(client, target, "unlucky"), signal);
      expect(result).toMatchObject({ type: failure, error: expect.stringMatching(/./) });
      expectSent(await client.send(createDelivery(client, target, "lucky", 1), signal));
      await until(async () => expect((await stage.shown()).at(-1)).toBe("lucky"));
    });
  }
}

function describeGuarantee(open: Open, abilities: ClientAbilities): void {
  const at = useStage(open);

  it(`guarantees "${abilities.guarantee}" for messages`, () => {
    expect(at().client.guarantee("message")).toBe(abilities.guarantee);
  });

  if (abilities.guarantee === "nonce") {
    it("shows a delivery once, however often it is sent", async () => {
      const stage = at();
      const { client, target, signal } = stage;
      const delivery = createDelivery(client, target, "once");
      const first = expectSent(await client.send(delivery, signal));
      expect(expectSent(await client.send(delivery, signal))).toBe(first);
      expectSent(await client.send(createDelivery(client, target, "another", 1), signal));
      await until(async () => expect(await stage.shown()).toEqual(["once", "another"]));
    });
  }

  if (abilities.guarantee === "lookup") {
    it("finds its own send, and knows when there is none", async () => {
      const stage = at();
      const { client, target, signal } = stage;
      const delivery = createDelivery(client, target, "findable");
      expect(await client.lookup?.(delivery)).toBeNull();
      const platformId = expectSent(await client.send(delivery, signal));
      expect(await client.lookup?.(delivery)).toEqual({ platformId });
      expect(await client.lookup?.(createDelivery(client, target, "never sent", 1))).toBeNull();
    });
  }

  if (abilities.guarantee === "nonce" && abilities.failures?.includes("unknown")) {
    it("shows a delivery once after an unknown outcome", async () => {
      const stage = at();
      const { client, target, signal } = stage;
      const delivery = createDelivery(client, target, "once");
      stage.failNext?.("unknown");
      expect(await client.send(delivery, signal)).toMatchObject({ type: "unknown" });
      expectSent(await client.send(delivery, signal));
      await until(async () => expect(await stage.shown()).toEqual(["once"]));
    });
  }
}

function describeEdits(open: Open, abilities: ClientAbilities): void {
  const at = useStage(open);

  /** Streams these texts as one delivery, the last one final. */
  const stream = async (stage: Stage, steps: readonly string[], n = 0): Promise<string> => {
    const { client, target, signal } = stage;
    const growing = { ...createDelivery(client, target, steps[0] ?? "", n), isGrowing: true };
    const platformId = expectSent(await client.send(growing, signal));
    for (const [index, text] of steps.slice(1).entries()) {
      const isLast = index === steps.length - 2;
      const delivery = createDelivery(client, target, text, n);
      expectSent(
        (await client.edits?.edit(platformId, isLast ? delivery : { ...delivery, isGrowing: true }, isLast)) ?? lacking,
      );
    }
    return platformId;
  };
  const lacking: SendResult = { type: "rejected", error: "The client has no edits." };

  it("ends a stream of edits in exactly the final text", async () => {
    const stage = at();
    await stream(stage, [
      "Once",
      "Once upon",
      "Once upon a 👩‍👩",
      "Once upon a 👩‍👩‍👧‍👦 time.",
      "Once upon a 👩‍👩‍👧‍👦 time.",
    ]);
    await until(async () => expect(await stage.shown()).toEqual(["Once upon a 👩‍👩‍👧‍👦 time."]));
  });

  it("corrects what was said too early", async () => {
    const stage = at();
    await stream(stage, ["It is five", "It is five o'clock", "It is six o'clock."]);
    await until(async () => expect(await stage.shown()).toEqual(["It is six o'clock."]));
  });

  it("keeps the streams of two deliveries apart", async () => {
    const stage = at();
    await stream(stage, ["First", "First one."], 0);
    await stream(stage, ["Second", "Second one."], 1);
    await until(async () => expect(await stage.shown()).toEqual(["First one.", "Second one."]));
  });

  it("finishes a message that another process opened, or says that it cannot", async () => {
    const { client, target } = at();
    const delivery = createDelivery(client, target, "The whole answer.", 7);
    const result = await client.edits?.edit("opened-by-another-process", delivery, true);
    expect(["sent", "rejected"]).toContain(result?.type);
  });

  it("takes back what it showed, where it says it can", async () => {
    const stage = at();
    const { client, target, signal } = stage;
    if (!client.edits?.remove) return;
    const delivery = { ...createDelivery(client, target, "Oops"), isGrowing: true };
    const platformId = expectSent(await client.send(delivery, signal));
    const result = await client.edits.remove(platformId, delivery);
    if (result.type === "sent") await until(async () => expect(await stage.shown()).toEqual([]));
    else expect(result).toMatchObject({ type: "rejected", error: expect.stringMatching(/./) });
  });

  if (abilities.failures?.includes("rejected")) {
    it("answers a refused edit in words", async () => {
      const stage = at();
      const platformId = await stream(stage, ["One"]);
      stage.failNext?.("rejected");
      const result = await stage.client.edits?.edit(
        platformId,
        createDelivery(stage.client, stage.target, "One two"),
        true,
      );
      expect(result).toMatchObject({ type: "rejected", error: expect.stringMatching(/./) });
    });
  }
}
