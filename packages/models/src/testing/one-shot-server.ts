import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came. */
export type Heard = { readonly url: string; readonly headers: IncomingMessage["headers"]; readonly body: string };

/** A server whose answers are made from the requests. */
export type OneShotServer = { readonly url: string; readonly requests: readonly Heard[]; close(): Promise<void> };

/** What a server answers: JSON, bytes, a status with an error as vendors write them, or nothing for ever. */
export type Reply =
  | { readonly json: unknown }
  | { readonly bytes: Uint8Array | string; readonly mediaType?: string }
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly isSilent: true }
  /** Half an answer, then the connection is cut. */
  | { readonly isCut: true };

/** Starts it on a free port of this machine. */
export async function startOneShot(answer: (request: Heard, call: number) => Reply): Promise<OneShotServer> {
  const requests: Heard[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const heard = { url: request.url ?? "", headers: request.headers, body: Buffer.concat(parts).toString("latin1") };
      send(response, answer(heard, requests.push(heard) - 1));
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

function send(response: ServerResponse, reply: Reply): void {
  if ("isSilent" in reply) return;
  if ("isCut" in reply) {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"data": [', () => response.destroy());
    return;
  }
  if ("status" in reply) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify({ error: { message: "no to swordfish", type: "server_error", code: null } }));
    return;
  }
  const isJson = "json" in reply;
  const mediaType = isJson ? "application/json" : (reply.mediaType ?? "application/octet-stream");
  response.writeHead(200, { "content-type": mediaType });
  response.end(isJson ? JSON.stringify(reply.json) : reply.bytes);
}

/** An embeddings answer as OpenAI documents it. @see https://developers.openai.com/api/docs/api-reference/embeddings */
export function embeddingsWire(vectors: readonly (readonly unknown[])[], tokens: number | null = 7): Reply {
  return {
    json: {
      object: "list",
      model: "text-embedding-3-small",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      ...(tokens !== null && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    },
  };
}
