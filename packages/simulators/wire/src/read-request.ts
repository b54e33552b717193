import type { IncomingMessage } from "node:http";
import { Busboy } from "@fastify/busboy";
import type { WireFile, WireRequest } from "./request.ts";

/** A request that cannot be read: answered with 400. */
export class UnreadableRequest extends Error {}

/** Reads a whole request. @throws UnreadableRequest when its body is not what its content type says, or is too large. */
export async function readRequest(
  message: IncomingMessage,
  { number, gone, limitBytes }: { readonly number: number; readonly gone: AbortSignal; readonly limitBytes: number },
): Promise<WireRequest> {
  const raw = await readAll(message, limitBytes);
  const target = message.url ?? "/";
  const [path = "/", search = ""] = target.split(/\?(.*)/s);
  const { body, files } = await readBody(raw, message.headers["content-type"] ?? "");
  return {
    number,
    method: message.method ?? "GET",
    path: decodePath(path),
    target,
    query: new URLSearchParams(search),
    headers: message.headers,
    body,
    files,
    raw,
    gone,
  };
}

async function readAll(message: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message) {
    // Without an encoding set, the chunks of a request are buffers.
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > limitBytes) throw new UnreadableRequest(`the body is larger than ${limitBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new UnreadableRequest("the path is not well encoded");
  }
}

type Body = Pick<WireRequest, "body" | "files">;

async function readBody(raw: Uint8Array, contentType: string): Promise<Body> {
  if (raw.length === 0) return { body: null, files: [] };
  if (contentType.startsWith("multipart/form-data")) return readForm(raw, contentType);
  const text = Buffer.from(raw).toString("utf8");
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return { body: Object.fromEntries(new URLSearchParams(text)), files: [] };
  }
  if (!contentType.includes("json")) return { body: text, files: [] };
  try {
    return { body: JSON.parse(text) as unknown, files: [] };
  } catch {
    throw new UnreadableRequest("the body is no JSON");
  }
}

function readForm(raw: Uint8Array, contentType: string): Promise<Body> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const files: WireFile[] = [];
    const form = new Busboy({ headers: { "content-type": contentType }, limits: { fieldSize: raw.length } });
    form.on("field", (name, value) => {
      fields[name] = value;
    });
    form.on("file", (...[field, stream, name, , mediaType]) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => files.push({ field, name, mediaType, bytes: Buffer.concat(chunks) }));
    });
    form.on("finish", () => resolve({ body: fields, files }));
    form.on("error", () => reject(new UnreadableRequest("the form cannot be read")));
    form.end(Buffer.from(raw));
  });
}
