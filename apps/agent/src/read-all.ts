import type { Readable } from "node:stream";
import { ConfigError } from "@troupe/core/errors";

const largestBytes = 16_000_000;

/**
 * Everything a stream says, as text; bytes that are no UTF-8 become replacement characters.
 * @throws ConfigError when it is larger than 16 MB.
 */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : new Uint8Array(chunk);
    sizeBytes += bytes.byteLength;
    if (sizeBytes > largestBytes)
      throw new ConfigError("invalid", "the message on standard input is larger than 16 MB; send a shorter one");
    chunks.push(bytes);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
