import { connect, type Socket } from "node:net";
import { errorMessage, TroupeError } from "@troupe/core/errors";
import { createLineReader } from "./line-reader.ts";
import {
  answerSchemas,
  type ControlAnswers,
  type ControlReply,
  type ControlRequest,
  lineLimitBytes,
  protocolVersion,
  readReply,
} from "./protocol.ts";
import { findAddress } from "./socket-address.ts";

/** What came of asking: the agent's answer, or nobody is there. */
export type Asked<Answer> = { readonly type: "answered"; readonly answer: Answer } | { readonly type: "not-running" };

const defaultTimeoutMs = 5_000;

/**
 * Asks the agent that runs on a home, by the path of its control socket, and waits for its answer.
 * @throws TroupeError with the agent's own code and message when it refuses; `timeout` when it does not answer in time (what it
 * was told to do may still happen); `unauthorized` when the socket is somebody else's; `unavailable` when it hangs up.
 */
export async function askAgent<Type extends ControlRequest["type"]>(
  path: string,
  request: Extract<ControlRequest, { type: Type }>,
  { timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<Asked<ControlAnswers[Type]>> {
  const address = findAddress(path);
  const socket = address === null ? null : await reach(address);
  if (!socket) return { type: "not-running" };
  try {
    const reply = await exchange(socket, JSON.stringify({ version: protocolVersion, ...request }), timeoutMs);
    return { type: "answered", answer: readAnswer(request, reply) };
  } finally {
    socket.destroy();
  }
}

/** Whether somebody listens on this address. */
export async function isAnswered(address: string): Promise<boolean> {
  const socket = await reach(address);
  socket?.destroy();
  return socket !== null;
}

function reach(address: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: address });
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error) => {
      const code = "code" in error ? error.code : undefined;
      if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ENOTSOCK") resolve(null);
      else reject(toConnectError(error, code, address));
    });
  });
}

function toConnectError(error: Error, code: unknown, address: string): TroupeError {
  if (code === "EACCES" || code === "EPERM") {
    return new TroupeError("unauthorized", `${address} belongs to another user; call as the user who runs the agent.`);
  }
  return new TroupeError("unavailable", `The running agent cannot be reached at ${address}: ${error.message}`, {
    cause: error,
  });
}

function exchange(socket: Socket, line: string, timeoutMs: number): Promise<ControlReply> {
  const lines = createLineReader(lineLimitBytes);
  return new Promise((resolve, reject) => {
    const refuse = (code: TroupeError["code"], message: string): void => reject(new TroupeError(code, message));
    const timer = setTimeout(
      () =>
        refuse(
          "timeout",
          `The running agent did not answer within ${timeoutMs} ms; what it was asked may still happen.`,
        ),
      timeoutMs,
    );
    socket.on("close", () => {
      clearTimeout(timer);
      refuse("unavailable", "The running agent hung up before it answered; it may be stopping. Try again.");
    });
    socket.on("error", (error) =>
      refuse("unavailable", `The connection to the running agent broke: ${errorMessage(error)}`),
    );
    socket.on("data", (chunk: Buffer) => {
      const complete = lines.push(chunk);
      const [first] = complete ?? [];
      if (complete !== null && first === undefined) return;
      clearTimeout(timer);
      const reply = first === undefined ? null : readReply(first);
      if (reply) resolve(reply);
      else refuse("internal", "What listens there is no agent of this release; restart the agent.");
    });
    socket.write(`${line}\n`);
  });
}

function readAnswer<Type extends ControlRequest["type"]>(
  request: Extract<ControlRequest, { type: Type }>,
  reply: ControlReply,
): ControlAnswers[Type] {
  if (!reply.ok) throw new TroupeError(reply.error.code, reply.error.message);
  const type: Type = request.type;
  const parsed = answerSchemas[type].safeParse(reply.result);
  // The schema of a type gives the answer of that type; the compiler does not follow the index.
  if (parsed.success) return parsed.data as ControlAnswers[Type];
  throw new TroupeError(
    "internal",
    `The running agent's answer to ${type} cannot be read; restart it with this release.`,
  );
}
