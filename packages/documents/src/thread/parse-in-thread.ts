import { Worker } from "node:worker_threads";
import type { ReaderResult } from "../blocks.ts";
import { abortedReading, DocumentError, formatBytes } from "../errors.ts";
import type { ParseReply, ParseRequest } from "./parse.ts";

/** How often the thread's memory is looked at. */
const watchMs = 20;

/**
 * Reads a document in a thread of its own, which is ended when it takes too long, takes too much memory, or is called off.
 * Its memory is watched from here and the engine's own limit lies far above: the engine ends the whole process when a thread's heap
 * runs full at the wrong moment, and does not count what buffers hold.
 * @throws DocumentError
 */
export async function parseInThread(request: ParseRequest, signal: AbortSignal | undefined): Promise<ReaderResult> {
  const { limits, label } = request;
  const bytes = new Uint8Array(request.bytes);
  const worker = new Worker(new URL("./parse-worker.ts", import.meta.url), {
    workerData: { ...request, bytes } satisfies ParseRequest,
    transferList: [bytes.buffer],
    name: "document",
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil((4 * limits.memoryBytes) / 1e6) },
  });
  let stopWatching: () => void = () => undefined;
  try {
    return await new Promise<ReaderResult>((resolve, reject) => {
      const onAbort = () => reject(abortedReading(label, signal?.reason));
      const timer = setTimeout(() => reject(tookTooLong(request)), limits.timeMs);
      const watch = setInterval(() => watchMemory(worker, request, reject), watchMs);
      stopWatching = () => {
        clearTimeout(timer);
        clearInterval(watch);
        signal?.removeEventListener("abort", onAbort);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
      worker.on("message", (reply: ParseReply) => settle(reply, label, { resolve, reject }));
      worker.on("error", (error: Error & { readonly code?: unknown }) => {
        reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tookTooMuch(request) : brokeReader(label, error));
      });
      worker.on("exit", () => reject(brokeReader(label)));
    });
  } finally {
    stopWatching();
    await worker.terminate();
  }
}

type Settle = { readonly resolve: (result: ReaderResult) => void; readonly reject: (error: Error) => void };

function settle(reply: ParseReply, label: string, { resolve, reject }: Settle): void {
  switch (reply.type) {
    case "read":
      return resolve(reply.result);
    case "refused":
      return reject(new DocumentError(reply.problem, reply.message));
    case "failed":
      return reject(brokeReader(label, new Error(reply.message)));
  }
}

function watchMemory(worker: Worker, request: ParseRequest, reject: (error: Error) => void): void {
  worker.getHeapStatistics().then(
    ({ used_heap_size: heap, external_memory: buffers }) => {
      if (heap + buffers > request.limits.memoryBytes) reject(tookTooMuch(request));
    },
    // The thread has just ended: its end is reported by itself.
    () => undefined,
  );
}

function tookTooLong({ label, limits }: ParseRequest): DocumentError {
  return new DocumentError(
    "timeout",
    `${label} was not read within ${limits.timeMs / 1_000} s (timeMs): split it, save it again in a simpler form, or raise the limit`,
  );
}

function tookTooMuch({ label, limits }: ParseRequest): DocumentError {
  return new DocumentError(
    "memory",
    `${label} needs more than ${formatBytes(limits.memoryBytes)} of memory to be read (memoryBytes): split it, save it again in a simpler form, or raise the limit`,
  );
}

function brokeReader(label: string, cause?: unknown): DocumentError {
  return new DocumentError(
    "damaged",
    `${label} cannot be read, it may be damaged: open it with its program and save it again`,
    {
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
