import { Agent } from "node:https";
import { connect, type Socket } from "node:net";
import type { Log } from "@troupe/core";
import { ConfigError } from "@troupe/core/errors";
import type { TwitterKeys, TwitterOptions } from "./options.ts";
import { type Fields, fieldsOf } from "./payload.ts";

/** A call of the API, with its path as the documentation has it: `users/:id/likes`. */
export type Call = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Fields;
  /** A form with bytes in it instead of JSON. */
  readonly isForm?: boolean;
};

/** What X answered. Header names are in lower case. */
export type Answer = { readonly body: unknown; readonly headers: Fields };

/** X's API in the name of one account, and the only place of this client that touches the network. */
export type TwitterApi = {
  /**
   * In a dry run what writes is not called: it gives an answer that looks like success, without ids.
   * @throws what twitter-api-v2 throws; read it with `readFailure`.
   */
  call(call: Call, signal: AbortSignal): Promise<Answer>;
  /** Bytes from anywhere on the web. @throws when there are none, or more than `limitBytes`. */
  download(url: string, limitBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  readonly isDry: boolean;
  /** Ends every connection. */
  close(): void;
};

const usualTimeoutMs = 30_000;
const uploadTimeoutMs = 120_000;

/** Whoever has an access token that is good now. */
export type TokenCaller = {
  readonly accessToken: (signal: AbortSignal) => Promise<string>;
  /** X does not take the token: another one. */
  readonly renew: (signal: AbortSignal) => Promise<string>;
};

type Caller = TwitterKeys | TokenCaller;

/** Loads twitter-api-v2 and makes a connection; nothing is asked yet. */
export async function createTwitterApi(
  options: Pick<TwitterOptions, "apiRoot" | "dryRun" | "requestTimeoutMs">,
  caller: Caller,
  log: Log,
): Promise<TwitterApi> {
  const { TwitterApi: Library } = await import("twitter-api-v2");
  const agent = createAgent(options.apiRoot);
  const isDry = options.dryRun === true;
  const timeoutMs = options.requestTimeoutMs ?? usualTimeoutMs;

  const request = async (call: Call, token: string | undefined, signal: AbortSignal): Promise<Answer> => {
    const limit = AbortSignal.timeout(call.isForm === true ? uploadTimeoutMs : timeoutMs);
    const settings = settingsFor(agent, AbortSignal.any([signal, limit]));
    const library = token === undefined ? new Library(keysOf(caller), settings) : new Library(token, settings);
    const path = call.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(call.parameters?.[name] ?? ""));
    const more = { fullResponse: true as const, ...(call.isForm === true && { forceBodyMode: "form-data" as const }) };
    const answered = await send(library.v2, { ...call, path }, more);
    return { body: answered.data, headers: fieldsOf(answered.headers) ?? {} };
  };

  const requestAs = async (call: Call, signal: AbortSignal): Promise<Answer> => {
    if (!("renew" in caller)) return request(call, undefined, signal);
    try {
      return await request(call, await caller.accessToken(signal), signal);
    } catch (error) {
      // What was not let in did nothing: it may be asked again with a new token.
      if (fieldsOf(error)?.["code"] !== 401) throw error;
      return request(call, await caller.renew(signal), signal);
    }
  };

  return {
    isDry,
    async call(call, signal) {
      signal.throwIfAborted();
      if (isDry && call.method !== "GET") {
        log.info({ method: call.method, path: call.path, ...call.parameters }, "a dry run: this would have been done");
        return { body: { data: {} }, headers: {} };
      }
      return requestAs(call, signal);
    },
    async download(url, limitBytes, signal) {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(uploadTimeoutMs)]) });
      if (!response.ok) throw new Error(`the address answered with ${response.status}`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length > limitBytes) throw new Error(`it is larger than ${limitBytes} bytes`);
      return bytes;
    },
    close: () => agent.destroy(),
  };
}

/** The calls of the library that are used. */
type Verbs = {
  get(path: string, query: object, more: { fullResponse: true }): Promise<{ data: unknown; headers: unknown }>;
  post(path: string, body: object, more: object): Promise<unknown>;
  delete(path: string, query: object, more: object): Promise<unknown>;
};

async function send(
  library: unknown,
  { method, path, query = {}, body = {} }: Call,
  more: { readonly fullResponse: true },
): Promise<{ readonly data?: unknown; readonly headers?: unknown }> {
  // The library's overloads say the same for every type of answer; only these are used.
  const verbs = library as Verbs;
  switch (method) {
    case "GET":
      return verbs.get(path, query, more);
    case "POST":
      return fieldsOf(await verbs.post(path, body, more)) ?? {};
    case "DELETE":
      return fieldsOf(await verbs.delete(path, query, more)) ?? {};
  }
}

function keysOf(caller: Caller) {
  if ("appKey" in caller) {
    const { appKey, appSecret, accessToken, accessSecret } = caller;
    return { appKey, appSecret, accessToken, accessSecret };
  }
  throw new ConfigError("invalid", "X needs four keys, or a sign-in; there is neither.");
}

/**
 * Connections to X, kept open between calls; with `apiRoot` to another server in its place, in plain HTTP. Requests are signed
 * for `https://api.x.com` all the same.
 * @throws ConfigError when the address is none.
 */
function createAgent(apiRoot: string | undefined): Agent {
  const agent = new Agent({ keepAlive: true });
  if (apiRoot === undefined) return agent;
  if (!URL.canParse(apiRoot) || new URL(apiRoot).protocol !== "http:") {
    throw new ConfigError("invalid", "TWITTER_API_ROOT must be an address like http://127.0.0.1:8082; correct it.");
  }
  const { hostname, port } = new URL(apiRoot);
  return Object.assign(agent, {
    createConnection: (): Socket => connect({ host: hostname, port: Number(port === "" ? 80 : port) }),
  });
}

/** The library has no timeout of its own, and takes a signal nowhere but here. */
function settingsFor(httpAgent: Agent, signal: AbortSignal) {
  const onBeforeRequest = ({ requestOptions }: { requestOptions: { signal?: AbortSignal | undefined } }): void => {
    requestOptions.signal = signal;
  };
  return { httpAgent, plugins: [{ onBeforeRequest }] };
}

/** What X gives for a code or a refresh token. */
type TokenAnswer = {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresInMs: number;
};

/** X's token endpoint, for one app. */
export type TokenApi = {
  exchange(
    given: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
    signal: AbortSignal,
  ): Promise<TokenAnswer>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<TokenAnswer>;
  close(): void;
};

/** Reaches the token endpoint, which writes nothing anybody could see: a dry run calls it too. */
export async function createTokenApi(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret?: string },
  { apiRoot, requestTimeoutMs = usualTimeoutMs }: Pick<TwitterOptions, "apiRoot" | "requestTimeoutMs">,
): Promise<TokenApi> {
  const { TwitterApi: Library } = await import("twitter-api-v2");
  const agent = createAgent(apiRoot);
  const app = { clientId, ...(clientSecret !== undefined && { clientSecret }) };
  const libraryFor = (signal: AbortSignal) =>
    new Library(app, settingsFor(agent, AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])));
  return {
    exchange: async ({ code, redirectUri, verifier }, signal) =>
      toTokens(await libraryFor(signal).loginWithOAuth2({ code, redirectUri, codeVerifier: verifier })),
    refresh: async (refreshToken, signal) => toTokens(await libraryFor(signal).refreshOAuth2Token(refreshToken)),
    close: () => agent.destroy(),
  };
}

function toTokens(given: {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresIn: number;
}): TokenAnswer {
  const { accessToken, refreshToken, expiresIn } = given;
  return { accessToken, expiresInMs: expiresIn * 1_000, ...(refreshToken !== undefined && { refreshToken }) };
}
