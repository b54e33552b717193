import { ConfigError } from "../errors.ts";
import { during } from "./current-work.ts";
import type { Route, RouteMethod, RouteRequest } from "./route.ts";
import type { Runtime } from "./runtime.ts";

/** A piece of a route's path: a text as it stands, or a place for one. */
type Segment = { readonly text: string } | { readonly parameter: string };

/** A plugin's route, bound to everything it needs. */
export type RegisteredRoute = {
  readonly method: RouteMethod;
  /** The path with the plugin's name before it, as it was written. */
  readonly path: string;
  /** The same for two routes that would answer the same requests. */
  readonly name: string;
  readonly segments: readonly Segment[];
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  run(request: RouteRequest): Promise<unknown>;
};

const methods: Readonly<Record<RouteMethod, true>> = { GET: true, POST: true, PUT: true, PATCH: true, DELETE: true };
const defaultTimeoutMs = 30_000;
const defaultMaxBodyBytes = 1024 * 1024;

/** Binds a route of a plugin. @throws ConfigError naming the route, what is wrong with it, and how it must be. */
export function bindRoute(route: Route, runtime: Runtime, owner: RouteOwner): RegisteredRoute {
  const { method, handler, timeoutMs = defaultTimeoutMs, maxBodyBytes = defaultMaxBodyBytes } = route;
  const refuse = (problem: string): never => {
    throw new ConfigError("invalid", `the route ${String(method)} ${String(route.path)} of ${owner.plugin} ${problem}`);
  };
  if (!Object.hasOwn(methods, method)) refuse(`has an unknown method; use one of ${Object.keys(methods).join(", ")}`);
  if (typeof handler !== "function") refuse("has no handler; give it a function");
  if (!(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1))
    refuse("has a timeoutMs that is no time; give milliseconds above 0");
  if (!(Number.isInteger(maxBodyBytes) && maxBodyBytes >= 0)) refuse("has a maxBodyBytes that is no number of bytes");
  if (typeof route.path !== "string" || !route.path.startsWith("/"))
    refuse("has no usable path; begin it with a slash");
  const path = `/${routePrefix(owner.plugin)}${route.path === "/" ? "" : String(route.path)}`;
  const segments = readSegments(path) ?? refuse("has no usable path; write texts and :names between slashes");
  return {
    method,
    path,
    name: `${method} /${segments.map((segment) => ("text" in segment ? segment.text : ":")).join("/")}`,
    segments,
    timeoutMs,
    maxBodyBytes,
    run: async (request) => {
      const work = { agentId: runtime.agentId, workId: `route:${owner.newId()}`, signal: request.signal };
      return during(work, () => handler(request, runtime));
    },
  };
}

/** Whose route it is; `newId` tells one request from the next. */
export type RouteOwner = { readonly plugin: string; readonly newId: () => string };

/** A plugin's name as it stands in paths: lower case, everything but letters, digits, `_`, `.` and `-` a `-`. */
function routePrefix(plugin: string): string {
  const plain = plugin
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return plain === "" ? "plugin" : plain;
}

function readSegments(path: string): readonly Segment[] | null {
  const pieces = path.slice(1).split("/");
  const parameters = pieces.filter((piece) => piece.startsWith(":"));
  if (new Set(parameters).size < parameters.length) return null;
  if (!pieces.every((piece) => /^(?::[A-Za-z_]\w*|[\w.~-]+)$/.test(piece) && !/^\.+$/.test(piece))) return null;
  return pieces.map((piece) => (piece.startsWith(":") ? { parameter: piece.slice(1) } : { text: piece }));
}
