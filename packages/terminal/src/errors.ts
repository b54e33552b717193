import type { SendResult } from "@troupe/core";
import { ClientError, errorMessage } from "@troupe/core/errors";

const closedCodes = new Set(["EPIPE", "EIO", "ECONNRESET", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

/** What it means that the terminal's output refused a write: `unavailable` when nobody reads it any more, else `exhausted`. */
export function toOutputError(error: unknown): ClientError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (closedCodes.has(code)) {
    return new ClientError(
      "unavailable",
      "The terminal's output is closed: nobody reads it any more; the message stays in the conversation's history.",
      { cause: error },
    );
  }
  return new ClientError(
    "exhausted",
    `The terminal's output could not be written (${code === "" ? errorMessage(error) : code}); if it goes to a file, make room on its disk.`,
    { cause: error, retryAfterMs: 1_000 },
  );
}

/** The result of a delivery that could not be printed. */
export function toSendResult(error: unknown): SendResult {
  const failure = error instanceof ClientError ? error : toOutputError(error);
  if (failure.code === "unavailable") return { type: "rejected", error: failure.message };
  return { type: "not-sent", retryInMs: failure.retryAfterMs ?? 1_000, error: failure.message };
}

/** Whether an error says that nobody reads the output any more. */
export function isClosed(error: unknown): boolean {
  return error instanceof ClientError && error.code === "unavailable";
}
