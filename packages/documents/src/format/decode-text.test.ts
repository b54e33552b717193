import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { readDocument } from "../read-document.ts";
import { decodeText } from "./decode-text.ts";

const japanese = "日本語の文章です。これは文字コードの判定に使われます。\nカタカナとひらがなと漢字が混ざっています。";
const chinese = "这是一个用来检测编码的中文句子。我们希望它能够被正确地识别出来。";
const korean = "이것은 인코딩을 확인하기 위한 한국어 문장입니다. 올바르게 인식되기를 바랍니다.";
const russian = "Это предложение на русском языке, чтобы проверить распознавание кодировки текста.";
const german = "Größe, Übermut und Ärger: die süßen Früchte der Köchin schmeckten außergewöhnlich gut.";

describe("decodeText", () => {
  it.each([
    ["shift_jis", japanese],
    ["euc-jp", japanese],
    ["gb18030", chinese],
    ["big5", "這是一個用來檢測編碼的中文句子。我們希望它能夠被正確地識別出來。"],
    ["euc-kr", korean],
    ["windows-1251", russian],
    ["koi8-r", russian],
    ["windows-1252", german],
  ])("finds out %s without being told", async (encoding, text) => {
    const decoded = await decodeText(iconv.encode(text, encoding), undefined, "it");
    expect(decoded.text).toBe(text);
    expect(decoded.warnings).toEqual([]);
  });

  it.each(["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])(
    "follows the byte order mark of %s and takes it out",
    async (encoding) => {
      const decoded = await decodeText(iconv.encode(chinese, encoding, { addBOM: true }), undefined, "it");
      expect(decoded).toEqual({ text: chinese, encoding, warnings: [] });
    },
  );

  it("knows UTF-16 without a mark, and Japanese mail", async () => {
    expect((await decodeText(Buffer.from("hello world, plain", "utf16le"), undefined, "it")).text).toBe(
      "hello world, plain",
    );
    const mail = Buffer.from("\x1b$B$3$s$K$A$O\x1b(B", "latin1");
    expect((await decodeText(mail, undefined, "it")).text).toBe("こんにちは");
  });

  it("believes a declared encoding that the bytes allow, and not one that they deny", async () => {
    expect((await decodeText(Buffer.from([0xe9]), "iso-8859-2", "it")).text).toBe("é");
    expect(await decodeText(Buffer.from("日本"), "shift_jis", "it")).toMatchObject({ text: "日本", encoding: "utf-8" });
    expect((await decodeText(Buffer.from([0xe9]), "no-such-thing", "it")).text).toBe("é");
  });

  it("takes the encoding from a page's own words", async () => {
    const page = `<html><head><meta charset="Shift_JIS"></head><body><p>${japanese}</p></body></html>`;
    const { blocks, encoding } = await readDocument({ bytes: iconv.encode(page, "shift_jis"), name: "a.html" });
    expect(encoding).toBe("shift_jis");
    expect(blocks[0]?.text).toContain("日本語の文章です。");
  });

  it("replaces broken sequences and reports how many", async () => {
    const bytes = Buffer.concat([Buffer.from("Zoë und Jürgen, naïve Größe "), Buffer.from([0xff, 0x20, 0xc3, 0x28])]);
    const { text, encoding, warnings } = await decodeText(bytes, undefined, "it");
    expect(text).toBe("Zoë und Jürgen, naïve Größe \u{fffd} \u{fffd}(");
    expect({ encoding, warnings }).toEqual({
      encoding: "utf-8",
      warnings: ["2 byte sequences that are not valid utf-8 were replaced"],
    });
  });

  it("makes line ends the same and drops control characters", async () => {
    expect((await decodeText(Buffer.from("a\r\nb\rc\0\x07d\te\fg"), undefined, "it")).text).toBe("a\nb\ncd\te\n\ng");
  });

  it("gives well-formed text or refuses, whatever the bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        const text = await decodeText(bytes, undefined, "it").then(
          (decoded) => decoded.text,
          (error: Error) => error.name,
        );
        expect(text.isWellFormed() && !/[\0\r]/u.test(text)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
