import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "@troupe/core";
import { ansi } from "./ansi.ts";
import { toOutputError } from "./errors.ts";
import { createKeyDecoder, type Key } from "./keys.ts";

/** The size of the terminal's window, in characters. */
type WindowSize = { readonly columns: number; readonly rows: number };

/** Who is told what happens at the keyboard. */
type KeyListener = {
  onKey(key: Key): void;
  onResize(): void;
  /** The input is closed: no key will come. */
  onEnd(): void;
};

/** The streams of one terminal; the only place that touches them. */
export type TerminalApi = {
  /** Whether a person types and reads here, key by key. */
  readonly isInteractive: boolean;
  size(): WindowSize;
  /** Resolves when the system has the text. Rejects with a ClientError when it does not take it. */
  write(text: string): Promise<void>;
  /** Like `write`, for what is not said by a character. */
  writeNotice(text: string): Promise<void>;
  /** Begins to listen to keys; returns what ends it and gives the terminal back as it was. */
  listenKeys(listener: KeyListener): () => void;
  /** Hands over line after line, each once the one before is done with, until the input ends or the signal aborts. */
  readLines(onLine: (line: string) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** Stops the process as Ctrl-Z does; `onBack` is called when it goes on. */
  suspend(onBack: () => void): void;
};

/** What the streams are. */
export type TerminalStreams = {
  readonly input: Readable;
  readonly output: Writable;
  /** Where notices go; `output` unless it is given. */
  readonly notices?: Writable | undefined;
  /** Whether both are a terminal; asked of the streams unless it is said. */
  readonly isTty?: boolean | undefined;
  readonly clock: Clock;
};

/** A lone escape is the key when nothing follows for so long. */
const escapeWaitMs = 50;
/** A line of more UTF-16 units is cut: input without end must not fill the memory. */
const longestLine = 16_000_000;

type MaybeTty = { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
type MaybeRaw = { readonly setRawMode?: (isRaw: boolean) => unknown };

/** Wraps the streams. From here on a broken pipe fails the write, never the process. */
export function createTerminalApi(streams: TerminalStreams): TerminalApi {
  const { input, output } = streams;
  const notices = streams.notices ?? output;
  const isInteractive = streams.isTty ?? ((input as MaybeTty).isTTY === true && (output as MaybeTty).isTTY === true);
  for (const stream of new Set([output, notices])) stream.on("error", () => undefined);

  return {
    isInteractive,
    size() {
      const { columns = 80, rows = 24 } = output as MaybeTty;
      return { columns: Math.max(10, columns), rows: Math.max(3, rows) };
    },
    write: (text) => writeTo(output, text),
    writeNotice: (text) => writeTo(notices, text),
    listenKeys: (listener) => listenKeys(streams, listener),
    readLines: (onLine, signal) => readLines(input, onLine, signal),
    suspend(onBack) {
      if (process.platform === "win32") return;
      (input as MaybeRaw).setRawMode?.(false);
      output.write(ansi.pasteOff);
      process.once("SIGCONT", () => {
        (input as MaybeRaw).setRawMode?.(true);
        output.write(ansi.pasteOn);
        onBack();
      });
      // The whole job, so that the shell notices: we may run below a launcher.
      process.kill(0, "SIGTSTP");
    },
  };
}

function writeTo(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error ? reject(toOutputError(error)) : resolve()));
  });
}

function listenKeys({ input, output, clock }: TerminalStreams, listener: KeyListener): () => void {
  const text = new StringDecoder("utf8");
  const decoder = createKeyDecoder();
  const ended = new AbortController();
  let chunks = 0;
  const press = (keys: readonly Key[]): void => {
    for (const key of keys) if (!ended.signal.aborted) listener.onKey(key);
  };
  const onData = (chunk: Buffer | string): void => {
    chunks += 1;
    press(decoder.push(typeof chunk === "string" ? chunk : text.write(chunk)));
    if (decoder.isWaiting()) flushLater(chunks);
  };
  const flushLater = (since: number): void => {
    clock.sleep(escapeWaitMs, ended.signal).then(
      () => {
        if (chunks === since) press(decoder.flush());
      },
      () => undefined,
    );
  };
  const onResize = (): void => listener.onResize();
  const onEnd = (): void => listener.onEnd();
  (input as MaybeRaw).setRawMode?.(true);
  output.write(ansi.pasteOn);
  input.on("data", onData).on("end", onEnd).on("error", onEnd).resume();
  output.on("resize", onResize);
  return () => {
    if (ended.signal.aborted) return;
    ended.abort();
    input.off("data", onData).off("end", onEnd).pause();
    output.off("resize", onResize);
    output.write(ansi.pasteOff);
    (input as MaybeRaw).setRawMode?.(false);
  };
}

async function readLines(input: Readable, onLine: (line: string) => Promise<void>, signal: AbortSignal): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let begun: string[] = [];
  let length = 0;
  const take = async (end: string): Promise<void> => {
    const line = begun.join("") + end;
    begun = [];
    length = 0;
    if (!signal.aborted) await onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  for await (const chunk of chunksOf(input, signal)) {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1 && !signal.aborted; end = text.indexOf("\n", start)) {
      await take(text.slice(start, end));
      start = end + 1;
    }
    begun.push(text.slice(start));
    length += text.length - start;
    if (length > longestLine) await take("");
  }
  const last = decoder.end();
  if (length > 0 || last !== "") await take(last);
}

/** What comes from a stream, as fast as it is taken, until it ends, fails or the signal aborts; then the stream rests. */
async function* chunksOf(input: Readable, signal: AbortSignal): AsyncGenerator<Buffer | string> {
  const queue: (Buffer | string)[] = [];
  let isOver = input.readableEnded || input.destroyed;
  let wake = (): void => undefined;
  const onData = (chunk: Buffer | string): void => {
    queue.push(chunk);
    input.pause();
    wake();
  };
  const onOver = (): void => {
    isOver = true;
    wake();
  };
  input.on("data", onData).on("end", onOver).on("error", onOver).on("close", onOver);
  signal.addEventListener("abort", onOver, { once: true });
  try {
    while (!signal.aborted) {
      const chunk = queue.shift();
      if (chunk !== undefined) yield chunk;
      else if (isOver) return;
      else {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        input.resume();
        await woken;
      }
    }
  } finally {
    input.off("data", onData).off("end", onOver).off("close", onOver).pause();
    signal.removeEventListener("abort", onOver);
  }
}
