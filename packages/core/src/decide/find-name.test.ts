import { describe, expect, it } from "vitest";
import { callsName } from "./find-name.ts";

describe("callsName", () => {
  it.each([
    ["hey ada!", "Ada"],
    ["ADA?", "ada"],
    ["Ada's idea", "Ada"],
    ["was meint Zoë dazu", "Zoe"],
    ["Что думает Ада?", "Ада"],
    ["阿达你好", "阿达"],
    ["今天阿达怎么样", "阿达"],
    ["مرحبا ليلى", "ليلى"],
    ["ask Mary Ann, she knows", "mary ann"],
    ["🙂Ada🙂", "Ada"],
    ["राम कहाँ है", "राम"],
  ])("hears in %j that %j is called", (text, name) => {
    expect(callsName(text, [name])).toBe(true);
  });

  it.each([
    ["Canada is large", "Ada"],
    ["adamant", "Ada"],
    ["Адана", "Ада"],
    ["nobody here", "Ada"],
    ["", "Ada"],
    ["रीम कहाँ है", "राम"],
    ["anything", ""],
  ])("does not hear in %j that %j is called", (text, name) => {
    expect(callsName(text, [name])).toBe(false);
  });
});
