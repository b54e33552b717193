import type { JsonValue } from "../json.ts";
import type { Runtime } from "./runtime.ts";

/** How a route may be asked for. GET answers HEAD, too. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request to a route, its path already taken apart. */
export interface RouteRequest {
  readonly method: RouteMethod;
  /** The whole path, the plugin's name included. */
  readonly path: string;
  /** What stands where the route's path says `:name`, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** Aborted when the time is over, whoever asked has gone, or the agent stops. */
  readonly signal: AbortSignal;
  /** The body as text, at most the route's `maxBodyBytes`. */
  text(): Promise<string>;
  /** The body as JSON. @throws ValidationError when it is none; unless it is caught, the answer is 400. */
  json(): Promise<JsonValue>;
  bytes(): Promise<Uint8Array>;
}

/** Something to be reached over HTTP, under `/<plugin>/…`. */
export interface Route {
  readonly method: RouteMethod;
  /** `/orders/:id`: texts and `:name`s between slashes. A text goes before a `:name`. */
  readonly path: string;
  /**
   * A Response is given as it is; a text becomes one of plain text, other JSON one of JSON, nothing 204. A ValidationError is
   * 400 with its message, any other error 500 without.
   */
  readonly handler: (
    request: RouteRequest,
    runtime: Runtime,
  ) => Promise<Response | JsonValue | void> | Response | JsonValue | void;
  /** 30,000 when absent; then the answer is 504. */
  readonly timeoutMs?: number;
  /** 1 MiB when absent; a larger body is 413. */
  readonly maxBodyBytes?: number;
}
