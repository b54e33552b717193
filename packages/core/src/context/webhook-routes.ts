import { errorMessage } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { Log } from "../log.ts";
import type { RegisteredRoute } from "../plugin/bind-route.ts";
import type { InputTo } from "./context-definitions.ts";
import type { InputSource, WebhookRequest } from "./context-input.ts";
import { type InputWorkParts, sendTo } from "./input-work.ts";

/** Webhooks' routes. A request is answered 202 only when its input is durable. */
export function webhookRoutes(parts: Pick<InputWorkParts, "definitions" | "send" | "log">): readonly RegisteredRoute[] {
  return parts.definitions
    .inputs()
    .flatMap((to) =>
      to.input.sources.flatMap((source) => (source.type === "webhook" ? [routeOf(source, to, parts)] : [])),
    );
}

const webhookTimeoutMs = 30_000;
const webhookMaxBytes = 1024 * 1024;

function routeOf(
  source: Extract<InputSource, { type: "webhook" }>,
  to: InputTo,
  parts: Pick<InputWorkParts, "definitions" | "send" | "log">,
): RegisteredRoute {
  const pieces = ["contexts", to.context.type.toLowerCase(), ...source.path.split("/")];
  const path = `/${pieces.join("/")}`;
  return {
    method: "POST",
    path,
    name: `POST ${path}`,
    segments: pieces.map((text) => ({ text })),
    timeoutMs: webhookTimeoutMs,
    maxBodyBytes: webhookMaxBytes,
    async run({ headers, query, text: readText }) {
      const text = await readText();
      const request: WebhookRequest = { headers, query, text, body: bodyOf(text) };
      if (!(await isVerified(source, request, parts.log))) {
        return Response.json({ error: "Not allowed." }, { status: 401 });
      }
      const given = source.read(request);
      if (!given) return undefined;
      await sendTo(to, parts)(given);
      return Response.json({ accepted: true }, { status: 202 });
    },
  };
}

async function isVerified(
  { verify, path }: Extract<InputSource, { type: "webhook" }>,
  request: WebhookRequest,
  log: Log,
): Promise<boolean> {
  try {
    return (await verify(request)) === true;
  } catch (error) {
    log.warn({ webhook: path, error: errorMessage(error) }, "a webhook's verify threw; the request is refused");
    return false;
  }
}

function bodyOf(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
