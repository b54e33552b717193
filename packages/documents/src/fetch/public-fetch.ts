import { lookup } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { DocumentError, documentLabel } from "../errors.ts";
import { isPublicAddress } from "./public-address.ts";

/** The part of `fetch` that is used here: redirects are never followed by it. */
export type Fetch = (url: string, options: FetchOptions) => Promise<Response>;

/** What `Fetch` is called with. */
export type FetchOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly redirect: "manual";
};

/**
 * A `fetch` that connects to public addresses only. The address is checked at the moment of connecting, so a name that is resolved
 * to something else a second time gains nothing.
 */
export const publicFetch: Fetch = (url, options) => request(url, options, publicLookup);

/** A `fetch` that connects to any address. */
export const anyFetch: Fetch = (url, options) => request(url, options, lookup);

/** That an address is not for everybody. */
export function refusedAddress(url: string): DocumentError {
  return new DocumentError(
    "refused",
    `${documentLabel(url)} leads to a private or local address: allow private addresses (allowPrivate) if you trust whoever names it`,
  );
}

/** An address that stands in a URL itself, without brackets. */
export function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/gu, "");
  return isIP(bare) === 0 ? undefined : bare;
}

const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, "", 0);
    const [first] = addresses;
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(refusedAddress(hostname), "", 0);
    }
    if (options.all === true) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};

async function request(url: string, options: FetchOptions, resolve: LookupFunction): Promise<Response> {
  const target = new URL(url);
  const literal = literalAddress(target);
  // An address needs no lookup, so the lookup cannot refuse it.
  if (resolve === publicLookup && literal !== undefined && !isPublicAddress(literal)) throw refusedAddress(url);
  const { request: send } = target.protocol === "https:" ? await import("node:https") : await import("node:http");
  const headers = { ...options.headers, "accept-encoding": "identity" };
  const answer = await answerTo(send(target, { headers, lookup: resolve, signal: options.signal, agent: false }));
  return toResponse(answer);
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end();
  });
}

function toResponse(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
  }
  const status = answer.statusCode ?? 500;
  const hasBody = ![101, 204, 205, 304].includes(status);
  if (!hasBody) answer.resume();
  // Node's web streams and the global ones are the same thing under two types.
  const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>) : null;
  return new Response(body, { status, headers });
}
