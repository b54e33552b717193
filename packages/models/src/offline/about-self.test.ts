import { expect, it } from "vitest";
import { toFirstPerson } from "./about-self.ts";

it.each([
  ["Ada is an engineer who writes poems.", "I am an engineer who writes poems."],
  [
    "She explains things and is glad when somebody proves her wrong.",
    "I explain things and am glad when somebody proves me wrong.",
  ],
  [
    "She measures twice, jokes once, and never lets a question go.",
    "I measure twice, joke once, and never let a question go.",
  ],
  ["Her first bridge held the neighbour's cat.", "My first bridge held the neighbour's cat."],
  ["In ten years Ada has raised her voice once.", "In ten years I have raised my voice once."],
  ["Ada's aunt taught her to whistle.", "My aunt taught me to whistle."],
  ["Holds the record for standing still.", "I hold the record for standing still."],
  ["Hammered by a tinsmith who wanted an eagle.", "I was hammered by a tinsmith who wanted an eagle."],
  ["I live by the sea.", "I live by the sea."],
])("says %s in the first person", (line, spoken) => {
  expect(toFirstPerson(line, "Ada")).toBe(spoken);
});

it.each(["", "Nobody knows the way.", "x".repeat(500)])("leaves out what is not about the character: %#", (line) => {
  expect(toFirstPerson(line, "Ada")).toBeUndefined();
});

it("takes a name that looks like a pattern as it is", () => {
  expect(toFirstPerson("A(d.a* is here.", "A(d.a*")).toBe("I am here.");
});
