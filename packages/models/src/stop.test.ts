import fc from "fast-check";
import { expect, it } from "vitest";
import { createStopCutter } from "./stop.ts";

it("cuts at the first stop word, however the text is cut into pieces", () => {
  const pieces = fc.array(fc.constantFrom("a", "b", "<", "</", "</s", "s>", "</s>", "\nUser:", "\nUs", "er:"), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(pieces, (texts) => {
      const whole = texts.join("");
      const stops = ["</s>", "\nUser:"];
      const cuts = stops.map((stop) => whole.indexOf(stop)).filter((index) => index >= 0);
      const cutter = createStopCutter(stops);
      const passed = texts.map((text) => cutter.push(text)).join("") + cutter.end();
      expect(passed).toBe(cuts.length === 0 ? whole : whole.slice(0, Math.min(...cuts)));
      expect(cutter.hasStopped).toBe(cuts.length > 0);
    }),
  );
});

it("passes on at once what cannot become a stop word", () => {
  const cutter = createStopCutter(["</s>"]);
  expect(cutter.push("hello <")).toBe("hello ");
  expect(cutter.push("b>")).toBe("<b>");
});
