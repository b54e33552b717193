import type { ErrorCode, Log } from "@troupe/core";
import { errorMessage, StoreError } from "@troupe/core/errors";
import type {
  Failure,
  OpenOptions,
  OperationName,
  Operations,
  Reply,
  Request,
  Results,
  WorkerMessage,
} from "./protocol.ts";
import type { StoreThread } from "./store-thread.ts";

/** Asks for an operation. Resolves with its answer, once it is durable. @throws StoreError */
export type Call = <Name extends OperationName>(name: Name, ...args: Operations[Name]) => Promise<Results[Name]>;

/**
 * The asking side's end of the thread that owns the file.
 *
 * `open` → (`close`) closing → closed; or, when the thread dies, `dead`. Calls are answered in the order they were made.
 * The thread keeps the process alive only while an answer is owed.
 */
export interface WorkerLink {
  readonly call: Call;
  close(): Promise<void>;
}

// What is read from an answer's JSON has the shape that its operation is declared with: operations.ts and its suite see to it.
type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/** Has the thread open the file and waits until it did. @throws StoreError why it cannot be opened. */
export async function openWorkerLink(worker: StoreThread, options: OpenOptions, log: Log): Promise<WorkerLink> {
  if (worker.threadId < 0) throw deadError(options.path);
  const waiting = new Map<number, Waiting>();
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let outbox: Request[] = [];
  let lastId = 0;
  let state: "open" | "closing" | "closed" | "dead" = "open";
  let end: StoreError | undefined;

  const settle = ([id, result, failure]: Reply): void => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (failure) caller?.reject(toStoreError(failure));
    else caller?.resolve((result === null ? null : JSON.parse(result)) as never);
  };
  const finish = (next: "closed" | "dead", error: StoreError): void => {
    if (state === "closed" || state === "dead") return;
    state = next;
    end = error;
    opened.reject(error);
    closed.resolve();
    for (const caller of waiting.values()) caller.reject(error);
    waiting.clear();
    worker.unref();
  };
  /** After a batch that cannot travel: the others must not suffer for the one that holds a function or the like. */
  const sendAlone = (request: Request): void => {
    try {
      worker.postMessage([request]);
    } catch (error) {
      const message = `${request[1]} was given something that is no data: ${errorMessage(error)}`;
      settle([request[0], null, { code: "invalid", message }]);
    }
  };
  const flush = (): void => {
    const batch = outbox;
    outbox = [];
    try {
      worker.postMessage(batch);
    } catch {
      for (const request of batch) sendAlone(request);
    }
  };

  worker.on("message", (message: WorkerMessage) => {
    if (!("type" in message)) {
      for (const reply of message) settle(reply);
      if (waiting.size === 0 && state === "open") worker.unref();
      return;
    }
    switch (message.type) {
      case "ready":
        worker.unref();
        return opened.resolve();
      case "failed":
        return finish("closed", toStoreError(message.failure));
      case "warning":
        return log.warn({ err: message.failure }, message.message);
      case "closed":
        if (message.failure)
          log.warn({ err: message.failure }, "the store did not close in order; nothing stored is lost");
        return finish("closed", closedError());
    }
  });
  worker.on("error", (error) => finish("dead", deadError(options.path, error)));
  worker.on("exit", () => finish("dead", deadError(options.path)));
  worker.ref();
  worker.postMessage(options);

  await opened.promise;
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (state !== "open") return reject(end ?? closedError());
        lastId += 1;
        if (waiting.size === 0) worker.ref();
        waiting.set(lastId, { resolve, reject });
        // All calls of one turn travel together: after every promise that was due has had its say.
        if (outbox.length === 0) process.nextTick(flush);
        outbox.push([lastId, name, args]);
      }),
    close: async () => {
      if (state === "open") {
        state = "closing";
        worker.ref();
        if (outbox.length > 0) flush();
        worker.postMessage("close");
      }
      await closed.promise;
    },
  };
}

/** The error a caller sees. */
export function toStoreError({ code, message, retryAfterMs }: Failure): StoreError {
  const known: ErrorCode = code;
  return new StoreError(known, message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

function closedError(): StoreError {
  return new StoreError("unavailable", "the store is closed; open it again to go on");
}

function deadError(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "unavailable",
    `the thread that owns ${path} ended unexpectedly; restart the program: whatever was acknowledged is stored`,
    { cause },
  );
}
