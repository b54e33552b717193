import { describe, expect, it } from "vitest";
import { findAddressed, type Hearer, toInbound } from "./inbound.ts";

const hearer: Hearer = { agentId: "agent", account: "Ada", agentName: "Ada", userName: "Paul", names: ["Ada"] };
const line = { text: "hi", sessionId: "s", number: 1, at: 42 };
const named = (text: string, ...names: readonly string[]): readonly string[] => [...findAddressed(text, names).named];

describe("findAddressed", () => {
  it.each([
    ["@Ada hi", ["Ada"]],
    ["hi @ada!", ["Ada"]],
    ["Ada: hi", ["Ada"]],
    ["  ada, hi", ["Ada"]],
    ["Ada, Bob: hi", ["Ada", "Bob"]],
    ["@Ada @Bob hi", ["Ada", "Bob"]],
    ["Ada is nice", []],
    ["I think, Ada: no", []],
    ["ada@example.org", []],
    ["bob@ada", []],
    ["@Adam hi", []],
    ["@Ada Lovelace hi", ["Ada Lovelace"]],
    ["ADA LOVELACE, hi", ["Ada Lovelace"]],
    ["@小明你好", ["小明"]],
    ["小明，你好", ["小明"]],
    ["小明：你好", ["小明"]],
    ["@Zoe hi", ["Zoë"]],
    ["@สมชายสวัสดี", ["สมชาย"]],
    ["آدا، سلام", ["آدا"]],
    ["@", []],
    ["", []],
  ])("finds in %j the names %j", (text, expected) => {
    expect(named(text, "Ada", "Bob", "Ada Lovelace", "小明", "Zoë", "สมชาย", "آدا")).toEqual(expected);
  });

  it("knows when everybody is addressed", () => {
    expect(findAddressed("@all hello", ["Ada"])).toEqual({ named: new Set(), isEveryone: true });
    expect(findAddressed("all, hello", ["Ada"]).isEveryone).toBe(false);
  });
});

describe("toInbound", () => {
  it("makes nothing of an empty line", () => {
    expect(toInbound({ ...line, text: " \u0000\u001b[2J " }, hearer)).toBeNull();
  });

  it("gives the same line the same ids, and another session's line others", () => {
    expect(toInbound(line, hearer)).toEqual(toInbound(line, hearer));
    expect(toInbound({ ...line, sessionId: "t" }, hearer)?.memory.id).not.toBe(toInbound(line, hearer)?.memory.id);
  });

  it("has one room for a character alone, and another for company", () => {
    const alone = toInbound(line, hearer);
    const inCompany = toInbound(line, { ...hearer, names: ["Ada", "Bob"] });
    expect(alone?.room).toMatchObject({ platformId: "terminal:Paul", channelType: "dm" });
    expect(inCompany?.room).toMatchObject({ platformId: "terminal:Paul:group", channelType: "group" });
    expect(alone?.entity.id).toBe(inCompany?.entity.id);
  });
});
