import type { Clock } from "../clock.ts";
import { errorMessage, TroupeError, ValidationError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import type { RegisteredRoute } from "./bind-route.ts";
import { withinDeadline } from "./deadline.ts";
import type { RouteRequest } from "./route.ts";
import { toJson } from "./to-json.ts";

/** What answering needs. */
export type RouteParts = {
  readonly routes: () => readonly RegisteredRoute[];
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the agent stops: what comes later is 503. */
  readonly signal: AbortSignal;
};

/** The body is larger than the route takes. */
class BodyTooLarge extends ValidationError {}

/**
 * Answers one request to a plugin's route; its URL's path is `/<plugin>/…`. Never throws. What is not there is 404 without a
 * word about what is; an error of the plugin is logged, and the answer names nothing of it.
 */
export async function handleRoute(request: Request, parts: RouteParts): Promise<Response> {
  if (parts.signal.aborted) return refusal(503, "The agent is stopping.");
  const { pathname, searchParams } = new URL(request.url);
  const pieces = readPath(pathname);
  if (!pieces) return refusal(400, "The address is malformed.");
  const found = parts.routes().flatMap((route) => match(route, pieces) ?? []);
  if (found.length === 0) return refusal(404, "There is nothing here.");
  const method = request.method === "HEAD" ? "GET" : request.method;
  const candidates = found.filter(({ route }) => route.method === method);
  const [best] = candidates.toSorted((left, right) => compareSpecific(left.route, right.route));
  if (!best) return otherMethod(request, found);
  const { response, log } = await answer(best, { request, path: pathname, query: searchParams }, parts);
  log();
  return request.method === "HEAD" ? withoutBody(response) : response;
}

type Found = { readonly route: RegisteredRoute; readonly parameters: Readonly<Record<string, string>> };
type Asked = { readonly request: Request; readonly path: string; readonly query: URLSearchParams };
type Answer = { readonly response: Response; readonly log: () => void };

async function answer({ route, parameters }: Found, asked: Asked, parts: RouteParts): Promise<Answer> {
  const { clock, log } = parts;
  const about = { route: `${route.method} ${route.path}` };
  const over = new AbortController();
  const signal = AbortSignal.any([asked.request.signal, parts.signal, over.signal]);
  const { timeoutMs } = route;
  const body = readBody(asked.request, route.maxBodyBytes);
  const given = toRouteRequest(route, { parameters, signal, body, ...asked });
  try {
    if (Number(asked.request.headers.get("content-length") ?? 0) > route.maxBodyBytes)
      throw tooLarge(route.maxBodyBytes);
    const outcome = await withinDeadline(() => route.run(given), { clock, timeoutMs, what: `the route ${route.path}` });
    return { response: toResponse(outcome), log: () => log.debug(about, "a route answered") };
  } catch (error) {
    over.abort(error);
    const why = { ...about, error: errorMessage(error) };
    if (error instanceof BodyTooLarge) return quiet(413, error.message);
    if (error instanceof ValidationError) return quiet(400, error.message);
    if (error instanceof TroupeError && error.code === "timeout") {
      return { response: refusal(504, "It took too long."), log: () => log.warn(why, "a route took too long") };
    }
    if (asked.request.signal.aborted || parts.signal.aborted) return quiet(503, "Called off.");
    return { response: refusal(500, "Something went wrong."), log: () => log.error(why, "a route failed") };
  } finally {
    await body.close();
  }
}

function quiet(status: number, message: string): Answer {
  return { response: refusal(status, message), log: () => undefined };
}

function otherMethod(request: Request, found: readonly Found[]): Response {
  const allowed = new Set(found.flatMap(({ route: { method } }) => (method === "GET" ? ["GET", "HEAD"] : [method])));
  const headers = { allow: [...allowed, "OPTIONS"].join(", ") };
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
  return refusal(405, "This cannot be done here.", headers);
}

function refusal(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error }, { status, headers: { ...ownHeaders, ...headers } });
}

const ownHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

/** What a handler gave, as a response. @throws TypeError for what is neither a Response nor JSON. */
function toResponse(outcome: unknown): Response {
  if (outcome instanceof Response) return outcome;
  if (outcome === undefined) return new Response(null, { status: 204, headers: ownHeaders });
  if (typeof outcome === "string") {
    return new Response(outcome, { headers: { ...ownHeaders, "content-type": "text/plain; charset=utf-8" } });
  }
  const json = toJson(outcome);
  if (json === undefined) throw new TypeError("it returned neither a Response nor JSON");
  return Response.json(json, { headers: ownHeaders });
}

function withoutBody(response: Response): Response {
  const { status, statusText, headers } = response;
  return new Response(null, { status, statusText, headers });
}

/** The pieces of a path, decoded; a slash at the end does not count. Null when it cannot be decoded. */
function readPath(pathname: string): readonly string[] | null {
  try {
    return pathname.replace(/\/$/, "").slice(1).split("/").map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function match(route: RegisteredRoute, pieces: readonly string[]): Found | null {
  if (pieces.length !== route.segments.length) return null;
  const parameters: Record<string, string> = Object.create(null);
  for (const [at, segment] of route.segments.entries()) {
    const piece = pieces[at] ?? "";
    if ("text" in segment) {
      if (segment.text !== piece) return null;
    } else if (piece === "") return null;
    else parameters[segment.parameter] = piece;
  }
  return { route, parameters };
}

/** The one with a text at the first place where the other has a name comes first. */
function compareSpecific(left: RegisteredRoute, right: RegisteredRoute): number {
  for (const [at, segment] of left.segments.entries()) {
    const other = right.segments[at];
    const [isText, otherIsText] = ["text" in segment, other !== undefined && "text" in other];
    if (isText !== otherIsText) return isText ? -1 : 1;
  }
  return 0;
}

type Body = { bytes(): Promise<Uint8Array>; close(): Promise<void> };

function tooLarge(maxBytes: number): BodyTooLarge {
  return new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
}

/** The body, read when it is asked for, once, and no further than it may be long. What was not read is let go. */
function readBody(request: Request, maxBytes: number): Body {
  let reading: Promise<Uint8Array> | undefined;
  return {
    bytes: () => (reading ??= readAtMost(request.body, maxBytes)),
    async close() {
      if (reading === undefined && request.body && !request.body.locked)
        await request.body.cancel().catch(() => undefined);
    },
  };
}

async function readAtMost(stream: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength;
    // Leaving the loop lets the rest of the stream go.
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Given = Asked & {
  readonly parameters: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly body: Body;
};

function toRouteRequest(
  route: RegisteredRoute,
  { request, path, query, parameters, signal, body }: Given,
): RouteRequest {
  const text = async (): Promise<string> => new TextDecoder().decode(await body.bytes());
  return {
    method: route.method,
    path,
    parameters,
    query,
    headers: request.headers,
    signal,
    text,
    bytes: () => body.bytes(),
    async json() {
      const said = await text();
      try {
        return JSON.parse(said) as JsonValue;
      } catch (error) {
        throw new ValidationError("The body is no JSON.", { cause: error });
      }
    },
  };
}
