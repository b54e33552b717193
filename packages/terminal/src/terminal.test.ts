import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type Client, type Delivery, silentLog, systemClock } from "@troupe/core";
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

function tty(options: Partial<TerminalOptions> = {}, size: readonly [number, number] = [60, 20]) {
  const setRawMode = vi.fn();
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  const output = createTtyOutput(...size);
  const [onEnd, onInterrupt] = [vi.fn(), vi.fn()];
  const terminal = createTerminal({
    ...{
      input,
      output,
      onEnd,
      onInterrupt,
      newId: () => "session",
      clock: systemClock,
      log: silentLog,
      userName: "Paul",
    },
    ...options,
  });
  const rows = (): readonly string[] => output.screen.rows();
  const showing = (expected: readonly string[]): Promise<void> => vi.waitFor(() => expect(rows()).toEqual(expected));
  return { input, output, terminal, onEnd, onInterrupt, setRawMode, rows, showing };
}

async function conversation(options: Partial<TerminalOptions> = {}, size?: readonly [number, number]) {
  const parts = tty(options, size);
  const client = createTerminalClient({ terminal: parts.terminal, agentId: "agent", agentName: "Ada" });
  const heard: string[] = [];
  const controller = new AbortController();
  closers.push(() => controller.abort());
  await client.start(
    onMessages((inbound) => heard.push(inbound.memory.content.text)),
    controller.signal,
  );
  const { signal } = controller;
  return { ...parts, client, heard, signal, stop: () => controller.abort() };
}

const growing = (client: Client, text: string, n = 0): Delivery => ({
  ...createDelivery(client, "terminal:Paul", text, n),
  isGrowing: true,
});

clientContract(
  "the terminal client on a terminal",
  () => {
    const { input, terminal, rows } = tty({}, [100_010, 40]);
    const client = createTerminalClient({ terminal, agentId: "agent", agentName: "Ada" });
    return {
      client,
      target: "terminal:Paul",
      say: (said) => void input.write(`${said}\r`),
      shown: () => {
        const blocks: string[] = [];
        for (const row of rows()) {
          const [, mark, said = ""] = /^Ada( \(corrected\))?: (.*)$/u.exec(row) ?? [];
          if (mark) blocks.pop();
          if (said !== "") blocks.push(said);
        }
        return blocks;
      },
      oddities: [
        () => void input.write(Buffer.from([0xff, 0xfe, 0x80, 0x0d])),
        () =>
          void input.write("\u001b[999;999Q\u001bO\u001b[<0;1;1M\u001b\u001b\u001b[200~never\u0000ending\u001b[201~\r"),
        () => void input.write(`\u001b[200~${"x\r\n".repeat(1_000)}\u001b[201~\r`),
        () => void input.write("/nonsense\r\u0001\u0002\u0005\u0006\u0007\u000e\u0010\u0014\u0019\r"),
      ],
      close: async () => void input.destroy(),
    };
  },
  { guarantee: "none", edits: true, oddities: true },
);

describe("a conversation in a terminal", () => {
  it("keeps the line being typed below an answer that streams in", async () => {
    const { input, client, signal, showing } = await conversation();
    input.write("hel");
    await client.send(growing(client, "Once"), signal);
    await showing(["Ada: Once", "Paul> hel"]);
    input.write("lo");
    await client.edits?.edit("k", growing(client, "Once upon"), false);
    await showing(["Ada: Once upon", "Paul> hello"]);
    input.write("\r");
    await client.edits?.edit("k", createDelivery(client, "t", "Once upon a time."), true);
    await showing(["Ada: Once upon", "Paul> hello", "Ada: … a time.", "Paul>"]);
  });

  it("takes what was pasted as one message, and a backslash as a request for one more line", async () => {
    const { input, heard, showing } = await conversation();
    input.write("\u001b[200~one\r\ntwo\u001b[201~");
    await showing(["Paul> one", "two"]);
    input.write("\rfirst\\\rsecond\r");
    await vi.waitFor(() => expect(heard).toEqual(["one\ntwo", "first\nsecond"]));
  });

  it("clears a line on Ctrl-C, interrupts on an empty one, ends on Ctrl-D", async () => {
    const { input, heard, showing, onInterrupt, onEnd } = await conversation();
    input.write("oops\u0003");
    await showing(["Paul>"]);
    expect(onInterrupt).not.toHaveBeenCalled();
    input.write("\u0003");
    await vi.waitFor(() => expect(onInterrupt).toHaveBeenCalledOnce());
    input.write("\u0004");
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledWith("quit"));
    expect(heard).toEqual([]);
  });

  it("hands on what a character is asked for by name, and lists it under /help", async () => {
    const parts = tty();
    const forget = { name: "forget", description: "Forget what you said.", parameters: [] };
    const commands = () => [forget];
    const client = createTerminalClient({ terminal: parts.terminal, agentId: "agent", agentName: "Ada", commands });
    const heard: unknown[] = [];
    const controller = new AbortController();
    closers.push(() => controller.abort());
    const receive = onMessages(({ kind, memory }) => heard.push([kind, memory.content.text, memory.content.command]));
    await client.start(receive, controller.signal);
    parts.input.write("/forget yes\r/forget\r/help\r");
    await vi.waitFor(() => expect(parts.rows().join("\n")).toMatch(/\/forget +Forget what you said\./));
    expect(heard).toEqual([
      ["command", "/forget yes", { name: "forget", parameters: { text: "yes" } }],
      ["command", "/forget", { name: "forget", parameters: {} }],
    ]);
  });

  it("runs commands, its own and the program's, and says when there is none", async () => {
    const run = vi.fn(async (argument: string) => {
      if (argument === "bad") throw new Error("no such message");
      return `because ${argument}`;
    });
    const { input, heard, rows, onEnd } = await conversation({ commands: { why: { description: "tells why", run } } });
    input.write("/why last\r/why bad\r/nope\r//me waves\r/etc/hosts?\r/help\r/quit\r");
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledWith("quit"));
    const screen = rows().join("\n");
    expect(screen).toContain("because last");
    expect(screen).toContain("/why failed: no such message");
    expect(screen).toContain("There is no /nope.");
    expect(screen).toMatch(/\/why +tells why/);
    expect(heard).toEqual(["/me waves", "/etc/hosts?"]);
  });

  it("completes commands and names", async () => {
    const { input, heard, showing } = await conversation();
    input.write("/he\t");
    await showing(["Paul> /help"]);
    input.write("\u0003@A\tgood day\r");
    await vi.waitFor(() => expect(heard).toEqual(["@Ada good day"]));
  });

  it("takes back an answer that turned out to be a silence", async () => {
    const { client, signal, showing } = await conversation();
    const delivery = growing(client, "I should");
    await client.send(delivery, signal);
    expect(await client.edits?.remove?.(delivery.key, delivery)).toMatchObject({ type: "sent" });
    await showing(["Paul>"]);
  });

  it("leaves an answer that others have followed, and says so", async () => {
    const { client, signal, terminal, showing } = await conversation();
    const delivery = growing(client, "I should");
    await client.send(delivery, signal);
    await terminal.notice("The clock strikes.");
    expect(await client.edits?.remove?.(delivery.key, delivery)).toMatchObject({ type: "rejected" });
    await showing(["Ada: I should", "The clock strikes.", "Paul>"]);
  });

  it("shows who is thinking until the answer begins", async () => {
    const { client, signal, showing } = await conversation();
    const ends = [client.typing?.start("r"), client.typing?.start("r")];
    ends[0]?.();
    await showing(["Ada ·", "Paul>"]);
    await client.send(growing(client, "Well"), signal);
    await showing(["Ada: Well", "Paul>"]);
    ends[1]?.();
  });

  it("keeps what was typed over restarts, for the owner alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "terminal-"));
    const historyPath = join(folder, "deep", "history");
    const first = await conversation({ historyPath });
    first.input.write("one\rone\rtwo\nlines\r");
    await vi.waitFor(() => expect(first.heard).toHaveLength(4));
    first.stop();
    expect(statSync(historyPath).mode & 0o777).toBe(0o600);
    expect(readFileSync(historyPath, "utf8")).toBe('"one"\n"two"\n"lines"\n');
    const second = await conversation({ historyPath });
    second.input.write("\u001b[A\u001b[A\r");
    await vi.waitFor(() => expect(second.heard).toEqual(["two"]));
    rmSync(folder, { recursive: true });
  });

  it("gives the terminal back as it was", async () => {
    const { output, setRawMode, stop, rows } = await conversation();
    expect(setRawMode).toHaveBeenLastCalledWith(true);
    expect(output.screen.raw()).toContain("\u001b[?2004h");
    stop();
    expect(setRawMode).toHaveBeenLastCalledWith(false);
    expect(output.screen.raw()).toMatch(/\u001b\[\?2004l[^\u0000]*\u001b\[\?25h$/);
    expect(rows()).toEqual([]);
  });

  it("uses no colours when told not to", async () => {
    const plain = await conversation({ hasColours: false });
    await plain.client.send(createDelivery(plain.client, "t", "Hello"), plain.signal);
    expect(plain.output.screen.raw()).not.toMatch(/\u001b\[[0-9;]*m/);
    const coloured = await conversation();
    await coloured.client.send(createDelivery(coloured.client, "t", "Hello"), coloured.signal);
    expect(coloured.output.screen.raw()).toMatch(/\u001b\[1;\d+mAda: /);
  });
});
