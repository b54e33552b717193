import { describe, expect, it } from "vitest";
import { detectLanguage } from "./detect-language.ts";

describe("a text's language", () => {
  it.each([
    ["I would like to know what this is", "en"],
    ["Das ist nicht mein Hund", "de"],
    ["je ne sais pas où il est", "fr"],
    ["no sé qué hacer con esto", "es"],
    ["non so cosa fare con questo", "it"],
    ["eu não sei o que fazer", "pt"],
    ["ik weet niet wat ik moet doen", "nl"],
    ["bugün hava çok güzel", "tr"],
    ["сегодня хорошая погода, и мы идём гулять", "ru"],
    ["сьогодні гарна погода", "uk"],
    ["дякую", "uk"],
    ["今天天气很好", "zh"],
    ["今日は天気がいい", "ja"],
    ["오늘 날씨가 좋다", "ko"],
    ["الطقس جميل اليوم", "ar"],
    ["आज मौसम अच्छा है", "hi"],
    ["วันนี้อากาศดี", "th"],
    ["como estas", "es"],
    ["sei still", "de"],
    ["Ada explains 日本 to me", "en"],
  ])("of %s is %s", (text, code) => {
    expect(detectLanguage(text)).toEqual({ kind: "language", code });
  });

  it.each(["😀", "123", "…", ""])("is none where there are no letters: %s", (text) => {
    expect(detectLanguage(text)).toEqual({ kind: "none" });
  });

  it.each(["Πώς είσαι;", "გამარჯობა", "Cześć, jak się masz?", "Xin chào, bạn khỏe không?"])(
    "is unknown for %s",
    (text) => {
      expect(detectLanguage(text)).toEqual({ kind: "unknown-script" });
    },
  );

  it.each(["ok", "hm", "xyzzy plugh"])("is unclear for %s", (text) => {
    expect(detectLanguage(text)).toEqual({ kind: "unclear" });
  });

  it("is tipped by the conversation's language when words belong to several", () => {
    expect(detectLanguage("no", "es")).toEqual({ kind: "language", code: "es" });
    expect(detectLanguage("no", "en")).toEqual({ kind: "language", code: "en" });
  });
});
