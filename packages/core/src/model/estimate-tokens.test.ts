import fc from "fast-check";
import { expect, it } from "vitest";
import { estimatingTokenizer as tokenizer } from "./estimate-tokens.ts";

// What OpenAI's o200k vocabulary counts, 2026-11-20.
it.each([
  ["The quick brown fox jumps over the lazy dog, and nobody in the village knew why it had been so lazy.", 21],
  ["Die Geschwindigkeit der Übertragung überraschte selbst die erfahrensten Ingenieurinnen.", 15],
  ["Вчера вечером мы долго гуляли по набережной и говорили о том, как изменился город.", 20],
  ["昨天晚上我们沿着河边散步，聊起了这座城市这些年来的变化，大家都觉得时间过得太快了。", 31],
  ["昨日の夜、私たちは川沿いを散歩しながら、この街がどれだけ変わったかについて話しました。", 30],
  ["어제 저녁에 우리는 강변을 따라 걸으며 이 도시가 얼마나 변했는지 이야기했습니다.", 23],
  ["เมื่อวานนี้เราไปเดินเล่นที่ตลาดเก่าและซื้อผลไม้สดกลับบ้านก่อนพระอาทิตย์ตก", 24],
  ["ذهبنا أمس إلى السوق القديم واشترينا بعض الفواكه الطازجة ثم عدنا إلى البيت قبل غروب الشمس.", 26],
])("estimates %j to within a third", (text, tokens) => {
  expect(tokenizer.count(text) / tokens).toBeGreaterThan(0.66);
  expect(tokenizer.count(text) / tokens).toBeLessThan(1.34);
});

it("counts nothing in nothing, and something in anything", () => {
  expect(tokenizer.count("")).toBe(0);
  fc.assert(fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => tokenizer.count(text) > 0));
});

it("gives back every text it encoded", () => {
  const texts = fc.string({ unit: "grapheme" });
  fc.assert(fc.property(texts, (text) => tokenizer.decode(tokenizer.encode(text)) === text.toWellFormed()));
  const numbers = tokenizer.encode("\u0000\u0000 zero bytes");
  expect(tokenizer.decode(numbers)).toBe("\u0000\u0000 zero bytes");
  expect(numbers.every(Number.isSafeInteger)).toBe(true);
});
