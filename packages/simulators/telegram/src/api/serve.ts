import type { WireAnswer, WireFile, WireRequest } from "@troupe/simulator-wire";
import { ApiError } from "../api-error.ts";
import type { Poller } from "../update/poll.ts";
import type { Bot, World } from "../world/world.ts";
import type { Call } from "./call.ts";
import type { Flood } from "./flood.ts";
import { methodNamed } from "./methods.ts";
import { type Parameters, parametersOf, readParameters } from "./parameters.ts";

/** What serves requests. */
export type ServerParts = {
  readonly world: World;
  readonly flood: Flood;
  readonly pollerOf: (bot: Bot) => Poller;
  readonly fetch: typeof fetch;
  /** Told of a defect where no request is there to be answered with 500. */
  readonly onDefect: (error: unknown) => void;
};

const shape = /^(\/file)?\/bot([^/]+)\/(.+)$/s;

/** Token and method, or file, of a path; null for other paths. */
export function readPath(
  path: string,
): { readonly token: string; readonly rest: string; readonly isFile: boolean } | null {
  const [, file, token, rest] = shape.exec(path) ?? [];
  return token && rest ? { token, rest, isFile: file !== undefined } : null;
}

/** Answers one request as the Bot API does. */
export async function serve(parts: ServerParts, request: WireRequest): Promise<WireAnswer> {
  const target = readPath(request.path);
  if (!target || !/^\d+:[\w-]+$/.test(target.token)) return refusal(new ApiError(404, "Not Found"));
  const bot = [...parts.world.bots.values()].find(({ token }) => token === target.token);
  if (!bot) return refusal(new ApiError(401, "Unauthorized"));
  if (target.isFile) return download(parts.world, target.rest);
  const files = new Map<string, WireFile>(request.files.map((file) => [file.field, file]));
  try {
    const asked = { method: target.rest, parameters: readParameters(request), files, gone: request.gone };
    return { status: 200, body: { ok: true, result: await callMethod(parts, bot, asked) } };
  } catch (error) {
    if (error instanceof ApiError) return refusal(error);
    throw error;
  }
}

type Asked = Pick<Call, "parameters" | "files" | "gone"> & { readonly method: string };

async function callMethod(parts: ServerParts, bot: Bot, { method: name, ...asked }: Asked): Promise<unknown> {
  const method = methodNamed(name);
  if (!method) throw new ApiError(404, "Not Found: method not found");
  const { world, flood, fetch } = parts;
  return await method({ world, bot, flood, fetch, poller: parts.pollerOf(bot), ...asked });
}

/** A refusal as an answer. */
export function refusal({ code, message, parameters }: ApiError): WireAnswer {
  const headers = parameters?.retry_after === undefined ? {} : { "retry-after": String(parameters.retry_after) };
  return {
    status: code,
    headers,
    body: { ok: false, error_code: code, description: message, ...(parameters ? { parameters } : {}) },
  };
}

function download(world: World, path: string): WireAnswer {
  const file = world.files.byPath(path);
  if (!file) return refusal(new ApiError(404, "Not Found"));
  return { status: 200, headers: { "content-type": "application/octet-stream" }, body: file.bytes };
}

/** Does what the answer to a webhook's request asks for; what comes of it nobody is told. */
export async function obeyAnswer(parts: ServerParts, bot: Bot, answer: unknown): Promise<void> {
  if (typeof answer !== "object" || answer === null || !("method" in answer) || typeof answer.method !== "string")
    return;
  const parameters: Parameters = parametersOf(new Map(Object.entries(answer)));
  try {
    await callMethod(parts, bot, {
      method: answer.method,
      parameters,
      files: new Map(),
      gone: new AbortController().signal,
    });
  } catch (error) {
    if (!(error instanceof ApiError)) parts.onDefect(error);
  }
}
