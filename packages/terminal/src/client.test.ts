import { PassThrough, Writable } from "node:stream";
import { type Client, type Delivery, type Inbound, silentLog, systemClock } from "@troupe/core";
import { createDelivery, onMessages } from "@troupe/core/testing";
import { clientContract } from "@troupe/core/testing/contracts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTerminalClient } from "./client.ts";
import type { TerminalOptions } from "./options.ts";
import { createTerminal } from "./terminal.ts";
import { createTtyOutput } from "./testing/virtual-screen.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

let ids = 0;
const newId = (): string => {
  ids += 1;
  return `session-${ids}`;
};

function pipe(options: Partial<TerminalOptions> = {}) {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: "utf8" });
  let text = "";
  output.on("data", (chunk: string) => {
    text += chunk;
  });
  const onEnd = vi.fn();
  const terminal = createTerminal({
    ...{ input, output, newId, onEnd, onInterrupt: vi.fn(), clock: systemClock, log: silentLog },
    ...options,
  });
  return { input, output, terminal, onEnd, text: () => text };
}

async function hearing(client: Client) {
  const heard: Inbound[] = [];
  const controller = new AbortController();
  closers.push(() => controller.abort());
  await client.start(
    onMessages((inbound) => heard.push(inbound)),
    controller.signal,
  );
  return { heard, signal: controller.signal, stop: () => controller.abort() };
}

async function one(options: Partial<TerminalOptions> = {}) {
  const parts = pipe(options);
  const client = createTerminalClient({ terminal: parts.terminal, agentId: "agent", agentName: "Ada" });
  const deliver = (text: string, extra: Partial<Delivery> = {}, n = 0) =>
    client.send({ ...createDelivery(client, "terminal:you", text, n), ...extra }, new AbortController().signal);
  return { ...parts, client, deliver, ...(await hearing(client)) };
}

const texts = (heard: readonly Inbound[]): readonly string[] => heard.map((inbound) => inbound.memory.content.text);

clientContract(
  "the terminal client on a pipe",
  () => {
    const { input, terminal, text } = pipe({ isLabelled: true });
    const client = createTerminalClient({ terminal, agentId: "agent", agentName: "Ada" });
    return {
      client,
      target: "terminal:you",
      say: (said) => void input.write(`${said}\n`),
      shown: () => readBlocks(text()),
      oddities: [
        () => void input.write(Buffer.from([0xff, 0xfe, 0x80, 0x0a])),
        () => void input.write("\n\n   \n\u001b[2J\u0000\u0007\n"),
        () => void input.write(`${"x".repeat(1_000_000)}\n`),
        () => void input.write(Buffer.from("\ud800 half a pair\n", "utf16le")),
        () => void input.write("\r\n"),
      ],
      close: async () => void input.destroy(),
    };
  },
  { guarantee: "none", edits: true, oddities: true },
);

/** What a reader takes for said: a correction stands for what it corrects. */
function readBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, mark, said = ""] = /^Ada( \(corrected\))?: (.*)$/u.exec(line) ?? [];
    if (mark) blocks.pop();
    blocks.push(said);
  }
  return blocks;
}

describe("the terminal client on a pipe", () => {
  it("takes every line for a message, the last one without an end too", async () => {
    const { input, heard, onEnd } = await one();
    input.end("one\r\ntwo\n\n  \n/quit\nlast");
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledWith("input-ended"));
    expect(texts(heard)).toEqual(["one", "two", "/quit", "last"]);
  });

  it("reads the next line only once the one before is kept", async () => {
    const { input, terminal } = pipe();
    const client = createTerminalClient({ terminal, agentId: "agent", agentName: "Ada" });
    const kept = Promise.withResolvers<void>();
    const heard: string[] = [];
    const controller = new AbortController();
    closers.push(() => controller.abort());
    const receive = onMessages((inbound) => {
      heard.push(inbound.memory.content.text);
      return kept.promise;
    });
    await client.start(receive, controller.signal);
    input.write("one\ntwo\n");
    await vi.waitFor(() => expect(heard).toEqual(["one"]));
    kept.resolve();
    await vi.waitFor(() => expect(heard).toEqual(["one", "two"]));
  });

  it("takes a line of a megabyte, and mends what is no text", async () => {
    const { input, heard } = await one();
    input.write("é".repeat(500_000));
    input.write("é".repeat(500_000));
    input.write(
      Buffer.concat([Buffer.from("\n"), Buffer.from([0xf0, 0x9f]), Buffer.from("\u001b[31mred\u0007\tend\n")]),
    );
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(texts(heard)).toEqual(["é".repeat(1_000_000), "\ufffdred\tend"]);
  });

  it("writes the reply alone when it is not to be labelled", async () => {
    const { deliver, text } = await one({ isLabelled: false });
    await deliver("Hello.\nTwo lines.");
    expect(text()).toBe("Hello.\nTwo lines.\n");
  });

  it("prints what is added to a growing text, and ends its line", async () => {
    const { client, deliver, text } = await one();
    const delivery = createDelivery(client, "terminal:you", "Once");
    await deliver("Once", { isGrowing: true });
    expect(text()).toBe("Ada: Once");
    await client.edits?.edit(delivery.key, { ...delivery, content: { text: "Once upon" }, isGrowing: true }, false);
    expect(text()).toBe("Ada: Once upon");
    await client.edits?.edit(delivery.key, { ...delivery, content: { text: "Once upon a time" } }, true);
    expect(text()).toBe("Ada: Once upon a time\n");
  });

  it("says which earlier message a late answer belongs to", async () => {
    const { input, heard, deliver, text } = await one();
    input.write("new question\n");
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    const inReplyTo = "a-memory-of-another-session";
    await deliver("Forty-two.", { content: { text: "Forty-two.", inReplyTo }, inReplyToText: "What is\n6 × 7?" });
    await deliver("Fine.", { content: { text: "Fine.", inReplyTo: heard[0]?.memory.id ?? "" }, key: "k2" });
    expect(text()).toBe("(to your earlier message “What is 6 × 7?”)\nAda: Forty-two.\nAda: Fine.\n");
  });

  it("prints a delivery of this session once, however often it is sent", async () => {
    const { deliver, text } = await one();
    await deliver("Hello");
    await deliver("Hello");
    expect(text()).toBe("Ada: Hello\n");
  });

  it("lets no text drive the terminal", async () => {
    const { deliver, text } = await one();
    await deliver("a\u001b]0;title\u0007b\u001b[2Jc\u009b1md\u0008\u202eerd\ud800");
    expect(text()).toBe("Ada: abcderd\ufffd\n");
  });

  it("says in words when nobody reads any more, and that the conversation is over", async () => {
    const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    const output = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
    const { deliver, onEnd } = await one({ output });
    expect(await deliver("Hello")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("output is closed"),
    });
    expect(onEnd).toHaveBeenCalledWith("output-closed");
  });

  it("asks for another try when a file's disk is full", async () => {
    const full = Object.assign(new Error("write ENOSPC"), { code: "ENOSPC" });
    let isFull = true;
    const written: string[] = [];
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!isFull) written.push(String(chunk));
        done();
      },
    });
    const write = output.write.bind(output) as (text: string, done: (error?: Error) => void) => boolean;
    output.write = ((text: string, done: (error?: Error) => void) =>
      isFull ? (done(full), false) : write(text, done)) as typeof output.write;
    const { deliver, onEnd } = await one({ output });
    expect(await deliver("Hello")).toMatchObject({ type: "not-sent", retryInMs: 1_000 });
    isFull = false;
    expect(await deliver("Hello")).toMatchObject({ type: "sent" });
    expect(written.join("")).toBe("Ada: Hello\n");
    expect(onEnd).not.toHaveBeenCalled();
  });

  it("does not wait for a reader that has paused once the send is called off", async () => {
    const output = new Writable({ write: () => undefined });
    const { client } = await one({ output });
    const controller = new AbortController();
    const sent = client.send(createDelivery(client, "terminal:you", "Hello"), controller.signal);
    controller.abort();
    expect(await sent).toMatchObject({ type: "unknown" });
  });

  it("tells on the notices' stream which message was not kept", async () => {
    const notices = createTtyOutput();
    const { input, terminal } = pipe({ notices });
    const client = createTerminalClient({ terminal, agentId: "agent", agentName: "Ada" });
    const controller = new AbortController();
    closers.push(() => controller.abort());
    await client.start(() => Promise.reject(new Error("the disk is full")), controller.signal);
    input.write("hello\n");
    await vi.waitFor(() => expect(notices.screen.raw()).toContain("Ada did not get your message: the disk is full"));
  });

  it("never gives two sessions the same ids, and keeps the room", async () => {
    const [first, second] = [await one(), await one()];
    first.input.write("hi\n");
    second.input.write("hi\n");
    await vi.waitFor(() => expect(first.heard.length + second.heard.length).toBe(2));
    expect(first.heard[0]?.eventId).not.toBe(second.heard[0]?.eventId);
    expect(first.heard[0]?.memory.id).not.toBe(second.heard[0]?.memory.id);
    expect(first.heard[0]?.room).toEqual(second.heard[0]?.room);
    expect(first.heard[0]?.room).toMatchObject({ platformId: "terminal:you", channelType: "dm" });
  });
});

describe("several characters at one terminal", () => {
  async function two() {
    const parts = pipe();
    const ada = createTerminalClient({ terminal: parts.terminal, agentId: "agent-a", agentName: "Ada" });
    const bob = createTerminalClient({ terminal: parts.terminal, agentId: "agent-b", agentName: "小明" });
    parts.input.write("小明、你好\n");
    return { ...parts, ada, bob, a: await hearing(ada), b: await hearing(bob) };
  }

  it("hear everything as a group, told whom it is for", async () => {
    const { a, b } = await two();
    await vi.waitFor(() => expect([a.heard.length, b.heard.length]).toEqual([1, 1]));
    expect(a.heard[0]).toMatchObject({
      room: { channelType: "group", account: "Ada" },
      memory: { agentId: "agent-a", content: { mentionContext: { mentionsAgent: false, mentionsOther: true } } },
    });
    expect(b.heard[0]).toMatchObject({
      room: { channelType: "group", account: "小明" },
      memory: { agentId: "agent-b", content: { mentionContext: { mentionsAgent: true } } },
    });
    expect(a.heard[0]?.room.id).not.toBe(b.heard[0]?.room.id);
  });

  it("do not talk into each other while their answers grow", async () => {
    const { ada, bob, a, text } = await two();
    const say = (client: Client, said: string, n: number): Delivery => createDelivery(client, "t", said, n);
    await ada.send({ ...say(ada, "One", 1), isGrowing: true }, a.signal);
    await bob.send({ ...say(bob, "Un", 2), isGrowing: true }, a.signal);
    await ada.edits?.edit("1", { ...say(ada, "One two", 1), isGrowing: true }, false);
    await bob.edits?.edit("2", { ...say(bob, "Un deux", 2), isGrowing: true }, false);
    await ada.edits?.edit("1", say(ada, "One two.", 1), true);
    await bob.edits?.edit("2", say(bob, "Un deux.", 2), true);
    expect(text()).toBe("Ada: One two.\n小明: Un deux.\n");
  });

  it("let a whole message break in, and go on below it", async () => {
    const { ada, bob, a, text } = await two();
    const growing = { ...createDelivery(ada, "t", "One", 1), isGrowing: true };
    await ada.send(growing, a.signal);
    await bob.send(createDelivery(bob, "t", "Stop!", 2), a.signal);
    await ada.edits?.edit("1", createDelivery(ada, "t", "One two.", 1), true);
    expect(text()).toBe("Ada: One\n小明: Stop!\nAda: … two.\n");
  });

  it("leave the terminal open until the last one has gone", async () => {
    const { input, a, b } = await two();
    await vi.waitFor(() => expect(b.heard).toHaveLength(1));
    a.stop();
    input.write("still there?\n");
    await vi.waitFor(() => expect(texts(b.heard)).toContain("still there?"));
    expect(a.heard).toHaveLength(1);
  });
});
