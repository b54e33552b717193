import { createDecoder, decodeResponse } from "@troupe/core";
import type { Effort, Measure, Row } from "../measure.ts";
import { tidy, timeOf } from "../statistics.ts";

const pieceLength = 24;
const repetitions = 20;

/** What reading an answer costs. */
export const decode: Measure = {
  name: "decode",
  legend:
    "an answer of 100 KB in our JSON form, decoded at once and in pieces of 24 characters as they stream; floor: `JSON.parse` of it. Linear: 200 KB; floor: 100 KB.",
  async run({ rounds }: Effort): Promise<readonly Row[]> {
    const answer = answerOf(100_000);
    const twice = answerOf(200_000);
    const options = { agentName: "Ada" };
    const whole = (text: string) => (): void => void decodeResponse(text, options);
    const streamed = (text: string) => (): void => {
      const decoder = createDecoder(options);
      for (let at = 0; at < text.length; at += pieceLength) decoder.push(text.slice(at, at + pieceLength));
      decoder.end();
    };
    const [parseMs, wholeMs, wholeTwiceMs, streamedMs, streamedTwiceMs] = leastOf(rounds, [
      () => void JSON.parse(answer),
      whole(answer),
      whole(twice),
      streamed(answer),
      streamed(twice),
    ]);
    const us = (ms = Number.NaN): number => ms * 1_000;
    const toParse = { floor: us(parseMs), unit: "µs", goal: { type: "ratio-at-most", limit: 30 } } as const;
    const linear = { unit: "µs", goal: { type: "ratio-at-most", limit: 2.3 } } as const;
    return [
      { name: "decode 100 KB at once / JSON.parse", ours: us(wholeMs), ...toParse },
      { name: "decode 100 KB in pieces / JSON.parse", ours: us(streamedMs), ...toParse },
      { name: "decode 200 KB at once / 100 KB", ours: us(wholeTwiceMs), floor: us(wholeMs), ...linear },
      { name: "decode 200 KB in pieces / 100 KB", ours: us(streamedTwiceMs), floor: us(streamedMs), ...linear },
    ];
  },
};

/** The shortest time of each piece of work, in turns. */
function leastOf(rounds: number, work: readonly (() => void)[]): readonly number[] {
  const least = work.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds * repetitions; round++) {
    if (round % repetitions === 0) tidy();
    for (const [index, one] of work.entries()) least[index] = Math.min(least[index] ?? 0, timeOf(one));
  }
  return least;
}

/** An answer with paragraphs, quotes, code and other scripts in its text. */
function answerOf(sizeBytes: number): string {
  const paragraph =
    'A beam bends, and then it "remembers". Take 3 eggs, 1 spoon & a ruler [not the steel one]: load the middle, read the sag.\n\n' +
    "```js\nconst sag = (load * length ** 3) / (48 * stiffness); // <mm>\n```\n" +
    "Das hält – 你好，桥。 Nothing else moves; one keeps the numbers and forgets the fear.\n";
  const wrap = (text: string): string =>
    JSON.stringify({ thought: "They asked for all of it.", actions: ["REPLY"], text });
  const perParagraph = Buffer.byteLength(JSON.stringify(paragraph)) - 2;
  return wrap(paragraph.repeat(Math.floor((sizeBytes - Buffer.byteLength(wrap(""))) / perParagraph)));
}
