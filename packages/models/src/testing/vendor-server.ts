import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { LLMock } from "@copilotkit/aimock";
import type { ModelEvent, ModelRequest, ModelTool } from "@troupe/core";
import type { ModelSpec, ProviderName } from "../spec.ts";

/** The key the mock servers are called with. */
export const KEY = "sk-test-0123456789";

/** Starts a server that speaks OpenAI's two wires and Anthropic's, on a free port of this machine. */
export async function startVendors(): Promise<LLMock> {
  return LLMock.create({ port: 0, host: "127.0.0.1", chunkSize: 3 });
}

/** The way to a model behind a server of ours. */
export function specAt(provider: ProviderName, url: string, name = "gpt-6-luna"): ModelSpec {
  return { provider, name, baseUrl: `${url}/v1`, apiKey: KEY };
}

/** A server whose answers a test writes byte by byte. */
export type RawServer = {
  readonly url: string;
  /** Requests that came, oldest first. */
  readonly requests: readonly {
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }[];
  close(): Promise<void>;
};

/** Starts a server for wires nobody else can speak: hanging, half, wrong. */
export async function startRaw(answer: (response: ServerResponse, call: number) => void): Promise<RawServer> {
  const requests: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      answer(response, requests.push({ url: request.url ?? "", headers: request.headers, body }) - 1);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server always has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A port of this machine where nobody listens. */
export async function unusedUrl(): Promise<string> {
  const server = await startRaw(() => undefined);
  await server.close();
  return server.url;
}

/** A prompt with this one message. */
export function ask(text = "Hello", signal: AbortSignal = new AbortController().signal): ModelRequest {
  return {
    messages: [
      { role: "system", content: "You are Ada." },
      { role: "user", content: text },
    ],
    signal,
  };
}

/** One tool as a request offers it. */
export const WEATHER: ModelTool = {
  name: "GET_WEATHER",
  description: "What the weather is like at a place.",
  parameters: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

/** Everything a stream said, and how it ended. */
export type Heard = {
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly Extract<ModelEvent, { type: "tool-call" }>[];
  readonly finish: Extract<ModelEvent, { type: "finish" }> | undefined;
  readonly error: unknown;
};

/** Listens to the end, whatever the end is. */
export async function hear(events: AsyncIterable<ModelEvent>): Promise<Heard> {
  const calls: Heard["calls"][number][] = [];
  const heard = { text: "", thought: "", calls, finish: undefined as Heard["finish"], error: undefined as unknown };
  try {
    for await (const event of events) {
      if (event.type === "finish") heard.finish = event;
      else if (event.type === "tool-call") calls.push(event);
      else heard[event.type] += event.text;
    }
  } catch (error) {
    heard.error = error;
  }
  return heard;
}
