import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Log } from "@troupe/core";
import { ConfigError, errorMessage, TroupeError } from "@troupe/core/errors";
import { isAnswered } from "./ask-agent.ts";
import { createLineReader } from "./line-reader.ts";
import {
  type ControlAnswers,
  type ControlReply,
  type ControlRequest,
  lineLimitBytes,
  protocolVersion,
  readRequest,
} from "./protocol.ts";
import { claimAddress, releaseAddress } from "./socket-address.ts";

/** What an agent does when it is asked. What they throw is told to whoever asked. */
export type ControlHandlers = {
  readonly [Type in ControlRequest["type"]]: (
    request: Extract<ControlRequest, { type: Type }>,
  ) => ControlAnswers[Type] | Promise<ControlAnswers[Type]>;
};

/** What a control server is made of. */
export type ControlServerOptions = {
  /** Where the socket is to stand, in the home; a named pipe on Windows. */
  readonly path: string;
  readonly handlers: ControlHandlers;
  readonly log: Log;
};

/** A control server that listens. */
export type ControlServer = {
  /** Where it listens. */
  readonly address: string;
  /** Hears no more and hangs up; what is still being done is not answered. Twice does nothing. */
  close(): Promise<void>;
};

const mostConnections = 16;
const idleMs = 30_000;

/**
 * Opens the local socket by which commands reach a running agent; only its owner may use it. The process must hold the home: a
 * socket that nobody listens on was left by one that died, and is removed.
 * @throws ConfigError `conflict` when somebody does listen there; `unavailable` when it cannot be opened.
 */
export async function createControlServer({ path, handlers, log }: ControlServerOptions): Promise<ControlServer> {
  const address = claimAddress(path);
  await removeStale(address);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket, handlers, log);
  });
  server.maxConnections = mostConnections;
  await listen(server, address);
  server.on("error", (error) => log.error({ error: errorMessage(error) }, "the control socket failed"));
  server.unref();
  let closing: Promise<void> | undefined;
  return {
    address,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
        releaseAddress(path);
      });
      return closing;
    },
  };
}

async function removeStale(address: string): Promise<void> {
  if (await isAnswered(address)) {
    throw new ConfigError("conflict", `another process already listens on ${address}; stop it first`);
  }
  if (!address.startsWith("\\\\")) rmSync(address, { force: true });
}

async function listen(server: Server, address: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: address }, () => {
        server.off("error", reject);
        resolve();
      });
    });
    if (!address.startsWith("\\\\")) chmodSync(address, 0o600);
  } catch (error) {
    throw new ConfigError(
      "unavailable",
      `the control socket ${address} cannot be opened (${errorMessage(error)}); correct the rights of its directory, or choose another home with TROUPE_HOME`,
      { cause: error },
    );
  }
}

/** One connection: its requests are answered one after the other, in order. */
function serve(socket: Socket, handlers: ControlHandlers, log: Log): void {
  const lines = createLineReader(lineLimitBytes);
  let last: Promise<void> = Promise.resolve();
  let underway = 0;
  const answer = async (line: string): Promise<void> => {
    const reply = await replyTo(line, handlers, log);
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
  };
  socket.setTimeout(idleMs, () => {
    if (underway === 0) socket.destroy();
  });
  // A client that goes away in the middle of something is its own affair.
  socket.on("error", (error) => log.debug({ error: errorMessage(error) }, "a control connection broke"));
  socket.on("data", (chunk: Buffer) => {
    const complete = lines.push(chunk);
    if (complete === null) {
      const message = `A request is at most ${lineLimitBytes} bytes long.`;
      socket.end(`${JSON.stringify(failure("invalid", message))}\n`);
      socket.removeAllListeners("data");
      return;
    }
    for (const line of complete) {
      if (line.trim() === "") continue;
      underway += 1;
      last = last.then(() => answer(line)).finally(() => (underway -= 1));
    }
  });
}

async function replyTo(line: string, handlers: ControlHandlers, log: Log): Promise<ControlReply> {
  const reading = readRequest(line);
  if (!reading.ok) return failure("invalid", reading.message);
  try {
    return { version: protocolVersion, ok: true, result: await dispatch(reading.request, handlers) };
  } catch (error) {
    if (error instanceof TroupeError) return failure(error.code, error.message);
    log.error({ request: reading.request.type, error: errorMessage(error) }, "a control request failed by a defect");
    return failure("internal", `The agent failed at ${reading.request.type} by a defect: ${errorMessage(error)}`);
  }
}

function dispatch(request: ControlRequest, handlers: ControlHandlers): unknown {
  switch (request.type) {
    case "ping":
      return handlers.ping(request);
    case "deliveries.resolve":
      return handlers["deliveries.resolve"](request);
    case "knowledge.add":
      return handlers["knowledge.add"](request);
    case "knowledge.remove":
      return handlers["knowledge.remove"](request);
    case "tasks.put":
      return handlers["tasks.put"](request);
    case "tasks.set":
      return handlers["tasks.set"](request);
  }
}

function failure(code: TroupeError["code"], message: string): ControlReply {
  return { version: protocolVersion, ok: false, error: { code, message } };
}
