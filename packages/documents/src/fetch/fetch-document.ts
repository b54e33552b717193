import { lookup } from "node:dns/promises";
import { isAbort, TroupeError } from "@troupe/core/errors";
import { abortedReading, DocumentError, documentLabel, formatBytes } from "../errors.ts";
import { isPublicAddress } from "./public-address.ts";
import { anyFetch, type Fetch, literalAddress, publicFetch, refusedAddress } from "./public-fetch.ts";

/** How a document is fetched. */
export type FetchDocumentOptions = {
  /** Default: Node's own, which looks at the address it connects to. With another one only the name is checked, before it is called. */
  readonly fetch?: Fetch;
  /** All addresses of a host name; default: as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Private and local addresses, too. Default false. */
  readonly allowPrivate?: boolean;
  readonly limits?: Partial<FetchLimits>;
  readonly signal?: AbortSignal;
  /** From an earlier answer: when nothing has changed since, the answer is `unchanged`. */
  readonly etag?: string;
  readonly lastModified?: string;
};

/** How much fetching may cost. */
export type FetchLimits = {
  /** Default 20 MB. */
  readonly sizeBytes: number;
  /** Default 5. */
  readonly redirects: number;
  /** In all. Default 30 s. */
  readonly timeMs: number;
};

/** What came back. `etag` and `lastModified` belong into the next request for it. */
export type FetchedDocument =
  | {
      readonly type: "fetched";
      /** Where it was in the end. */
      readonly url: string;
      readonly bytes: Uint8Array;
      /** With its parameters: fit for `readDocument`. */
      readonly mediaType?: string;
      /** The file's name as the server or the address says it: fit for `readDocument`. */
      readonly name: string;
      readonly etag?: string;
      readonly lastModified?: string;
    }
  | { readonly type: "unchanged"; readonly url: string };

const defaultFetchLimits: FetchLimits = { sizeBytes: 20_000_000, redirects: 5, timeMs: 30_000 };

type Fetching = FetchDocumentOptions & { readonly all: FetchLimits; readonly until: AbortSignal };

/**
 * Fetches a document over HTTP(S): bounded in size (whatever the server claims), redirects and time; every hop's address is checked.
 * @throws DocumentError naming the address without its query, what is wrong and the remedy
 */
export async function fetchDocument(url: string, options: FetchDocumentOptions = {}): Promise<FetchedDocument> {
  const all = { ...defaultFetchLimits, ...options.limits };
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), all.timeMs);
  const until = options.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, options.signal]);
  const fetching: Fetching = { ...options, all, until };
  let address = parseAddress(url);
  try {
    for (let hops = 0; ; hops++) {
      const response = await orAborted(ask(address, fetching, hops === 0), until);
      const next = redirectOf(response, address);
      if (next === undefined) return await toDocument(response, address, fetching);
      await response.body?.cancel();
      if (hops === all.redirects) throw tooManyRedirects(url, all.redirects);
      address = next;
    }
  } catch (cause) {
    throw toFetchError(cause, shownAddress(address), { all, signal: options.signal, timedOut: timeout.signal.aborted });
  } finally {
    clearTimeout(timer);
  }
}

/** An address as messages show it: without the query, which may hold a secret. */
function shownAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function parseAddress(url: string, base?: URL): URL {
  const address = URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
  if (address?.protocol !== "http:" && address?.protocol !== "https:") {
    const shown = address === undefined ? "the address" : documentLabel(`${address.protocol}…`);
    throw new DocumentError("refused", `${shown} is not an address on the web: begin it with https://`);
  }
  if (address.username !== "" || address.password !== "") {
    throw new DocumentError(
      "refused",
      `${documentLabel(shownAddress(address))} holds a name or password: leave them out`,
    );
  }
  return address;
}

async function ask(address: URL, options: Fetching, isFirst: boolean): Promise<Response> {
  const { allowPrivate = false, until } = options;
  if (!allowPrivate) await checkAddress(address, options);
  const fetch = options.fetch ?? (allowPrivate ? anyFetch : publicFetch);
  const headers: Record<string, string> = { accept: "text/html,text/markdown,text/plain,application/pdf,*/*;q=0.8" };
  // What changed is known of the address asked for; another one it leads to has marks of its own.
  if (isFirst && options.etag !== undefined) headers["if-none-match"] = options.etag;
  if (isFirst && options.lastModified !== undefined) headers["if-modified-since"] = options.lastModified;
  return fetch(address.href, { headers, signal: until, redirect: "manual" });
}

/** @throws DocumentError `refused`, `not-found` */
async function checkAddress(address: URL, { resolve = resolveHost }: Fetching): Promise<void> {
  const literal = literalAddress(address);
  const addresses = literal === undefined ? await resolve(address.hostname) : [literal];
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw refusedAddress(shownAddress(address));
}

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** The rest of a promise that does not listen to a signal itself is not waited for. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("called off"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function redirectOf(response: Response, from: URL): URL | undefined {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  return parseAddress(location, from);
}

async function toDocument(response: Response, address: URL, options: Fetching): Promise<FetchedDocument> {
  const url = address.href;
  if (response.status === 304) return { type: "unchanged", url };
  if (response.status !== 200) {
    await response.body?.cancel();
    throw refusedBy(response, shownAddress(address));
  }
  const bytes = await readBody(response, shownAddress(address), options);
  const field = (name: string) => response.headers.get(name) ?? undefined;
  const mediaType = field("content-type");
  const etag = field("etag");
  const lastModified = field("last-modified");
  return {
    type: "fetched",
    url,
    bytes,
    name: nameOf(response, address),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

/** Reads until the limit, whatever length the server claims; a claim above it is believed. */
async function readBody(response: Response, shown: string, { all, until }: Fetching): Promise<Uint8Array> {
  const tooLarge = (what: string) =>
    new DocumentError(
      "too-large",
      `${documentLabel(shown)} is ${what} and the limit is ${formatBytes(all.sizeBytes)} (sizeBytes): fetch a smaller document, or raise the limit`,
    );
  const claimed = Number(response.headers.get("content-length") ?? 0);
  if (claimed > all.sizeBytes) {
    await response.body?.cancel();
    throw tooLarge(`${formatBytes(claimed)} long`);
  }
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = await orAborted(
        reader?.read() ?? Promise.resolve({ done: true as const, value: undefined }),
        until,
      );
      if (chunk.done) return Buffer.concat(chunks);
      length += chunk.value.length;
      if (length > all.sizeBytes) throw tooLarge("longer than it says");
      chunks.push(chunk.value);
    }
  } catch (cause) {
    await reader?.cancel().catch(() => undefined);
    throw cause;
  }
}

/** From `content-disposition`, else the last part of the path; only a name, never a path. */
function nameOf(response: Response, { pathname, hostname }: URL): string {
  const disposition = response.headers.get("content-disposition") ?? "";
  const [, extended] = /filename\*\s*=\s*utf-8''([^;\s]+)/iu.exec(disposition) ?? [];
  const [, quoted, bare] = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/iu.exec(disposition) ?? [];
  const declared = (extended === undefined ? undefined : decode(extended)) ?? quoted ?? bare;
  const name = (declared ?? decode(pathname))?.split(/[\\/]/u).findLast((part) => part !== "");
  return name ?? hostname;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) return undefined;
    throw cause;
  }
}

function refusedBy(response: Response, shown: string): DocumentError {
  const label = documentLabel(shown);
  const { status } = response;
  if (status === 401 || status === 403) {
    return new DocumentError(
      "unauthorized",
      `${label} is not for everybody (status ${status}): download it and add the file`,
    );
  }
  if (status === 404 || status === 410)
    return new DocumentError("not-found", `${label} does not exist (status ${status}): check the address`);
  if (status === 429 || status >= 500) {
    const retryAfterMs = retryAfter(response);
    return new DocumentError("unavailable", `${label} cannot be had now (status ${status}): try again later`, {
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return new DocumentError("refused", `${label} was answered with status ${status}: check the address`);
}

/** Seconds, or a moment, which is compared with the server's own clock. */
function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const waitMs = /^\d+$/u.test(value)
    ? Number(value) * 1_000
    : Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isFinite(waitMs) && waitMs >= 0 ? waitMs : undefined;
}

function tooManyRedirects(url: string, redirects: number): DocumentError {
  const shown = documentLabel(shownAddress(new URL(url)));
  return new DocumentError("refused", `${shown} leads on more than ${redirects} times (redirects): name where it ends`);
}

type Ended = { readonly all: FetchLimits; readonly signal: AbortSignal | undefined; readonly timedOut: boolean };

function toFetchError(cause: unknown, shown: string, { all, signal, timedOut }: Ended): DocumentError {
  const label = documentLabel(shown);
  if (cause instanceof DocumentError) return cause;
  if (signal?.aborted === true) return abortedReading(label, cause);
  if (timedOut) {
    return new DocumentError(
      "timeout",
      `${label} did not come within ${all.timeMs / 1_000} s (timeMs): try again later, or raise the limit`,
      { cause },
    );
  }
  const inner = cause instanceof Error && cause.cause instanceof TroupeError ? cause.cause : undefined;
  if (inner instanceof DocumentError) return inner;
  if (isAbort(cause)) return abortedReading(label, cause);
  return new DocumentError(
    "unavailable",
    `${label} cannot be reached: check the address and the network, and try again`,
    { cause },
  );
}
