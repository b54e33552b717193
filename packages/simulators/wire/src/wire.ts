import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createFaults, type Fault, type Faults } from "./faults.ts";
import { readRequest, UnreadableRequest } from "./read-request.ts";
import type { WireAnswer, WireRequest } from "./request.ts";

/** What a server is made of. */
export type WireOptions = {
  /** What every request does and is answered with. */
  readonly handle: (request: WireRequest) => Promise<WireAnswer> | WireAnswer;
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  /** Any free port when absent. */
  readonly port?: number;
  /** Connections that want to become WebSockets; refused when absent. */
  readonly onUpgrade?: (message: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** What a request is answered with that cannot be read; 400 with the reason when absent. */
  readonly onUnreadable?: (reason: string) => WireAnswer;
  /** Told of a defect of `handle`, which is answered with 500. */
  readonly onDefect?: (error: unknown) => void;
  /** The largest body; 64 MiB when absent. */
  readonly limitBytes?: number;
  /** How many past requests are kept for `requests`; 10,000 when absent. */
  readonly keptRequests?: number;
};

/** A running HTTP server that does as it is told, also wrongly. */
export type Wire = {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly faults: Faults;
  /** The newest requests, oldest first. */
  readonly requests: readonly WireRequest[];
  /** Cuts every open connection; the server goes on listening. */
  cut(): void;
  /** Ends it with all its connections. */
  close(): Promise<void>;
};

const defaults = { host: "127.0.0.1", limitBytes: 64 * 1024 * 1024, keptRequests: 10_000 };

/** Starts a server. @throws the system's error when the port is taken. */
export async function startWire(options: WireOptions): Promise<Wire> {
  const { host = defaults.host, keptRequests = defaults.keptRequests } = options;
  const faults = createFaults();
  const requests: WireRequest[] = [];
  const sockets = new Set<Duplex>();
  let count = 0;
  const onMessage = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    count += 1;
    try {
      const limitBytes = options.limitBytes ?? defaults.limitBytes;
      const request = await readRequest(message, { number: count, gone: gone.signal, limitBytes });
      requests.push(request);
      if (requests.length > keptRequests) requests.shift();
      await answer({ request, response, fault: faults.take(request), handle: options.handle });
    } catch (error) {
      if (gone.signal.aborted) return;
      if (error instanceof UnreadableRequest) {
        const { message: reason } = error;
        return write(response, options.onUnreadable?.(reason) ?? { status: 400, body: { message: reason } });
      }
      options.onDefect?.(error);
      write(response, { status: 500, body: { message: "the simulator has a defect" } });
    }
  };
  const server = createServer((message, response) => void onMessage(message, response));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (message, socket, head) => {
    if (options.onUpgrade) options.onUpgrade(message, socket, head);
    else socket.destroy();
  });
  const port = await listen(server, host, options.port ?? 0);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    host,
    port,
    url: `http://${host}:${port}`,
    faults,
    requests,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // A server listening on a port has an address of this kind.
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

type Answering = {
  readonly request: WireRequest;
  readonly response: ServerResponse;
  readonly fault: Fault | null;
  readonly handle: WireOptions["handle"];
};

async function answer({ request, response, fault, handle }: Answering): Promise<void> {
  switch (fault?.type) {
    case undefined:
      return write(response, await handle(request));
    case "answer":
      if (fault.isApplied) await handle(request);
      return write(response, fault.answer);
    case "drop":
      if (fault.when === "after") await handle(request);
      response.destroy();
      return;
    case "delay":
      await delay(fault.ms, request.gone);
      return write(response, await handle(request));
    case "hang":
      if (fault.when === "after") await handle(request);
      return;
    case "duplicate":
      await handle(request);
      return write(response, await handle(request));
  }
}

function delay(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function write(response: ServerResponse, { status, headers = {}, body }: WireAnswer): void {
  if (response.destroyed || response.headersSent) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  const type = isPlain ? "application/octet-stream" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(isPlain ? body : JSON.stringify(body));
}
