import { describe, expect, it } from "vitest";
import { isClosed, toOutputError, toSendResult } from "./errors.ts";

const withCode = (code: string): Error => Object.assign(new Error(`write ${code}`), { code });

describe("the terminal's errors", () => {
  it.each([
    ["EPIPE", "unavailable", "rejected"],
    ["EIO", "unavailable", "rejected"],
    ["ERR_STREAM_DESTROYED", "unavailable", "rejected"],
    ["ERR_STREAM_WRITE_AFTER_END", "unavailable", "rejected"],
    ["ENOSPC", "exhausted", "not-sent"],
    ["EDQUOT", "exhausted", "not-sent"],
  ])("takes %s for %s: the delivery is %s", (code, errorCode, type) => {
    const error = toOutputError(withCode(code));
    expect(error.code).toBe(errorCode);
    expect(isClosed(error)).toBe(errorCode === "unavailable");
    expect(toSendResult(error).type).toBe(type);
    expect(toSendResult(withCode(code)).type).toBe(type);
  });
});
