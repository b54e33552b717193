import { expect, it } from "vitest";
import { germanYouForm, reflectEnglish, reflectGerman } from "./reflect.ts";

it.each([
  ["my brother and I", "your brother and you"],
  ["you are like my father", "I am like your father"],
  ["that you ignore me", "that I ignore you"],
  ["I miss you", "you miss me"],
  ["Bo gave you my book", "Bo gave me your book"],
  ["I'm here, myself", "you're here, yourself"],
])("turns %s around in English", (words, expected) => {
  expect(reflectEnglish(words)).toBe(expected);
});

it("turns words around in German", () => {
  expect(reflectGerman("meine Schwester mag mich und dich")).toBe("deine Schwester mag dich und mich");
});

it.each([
  ["bin", "bist"],
  ["suche", "suchst"],
  ["arbeite", "arbeitest"],
  ["hasse", "hasst"],
  ["atme", "atmest"],
  ["lerne", "lernst"],
  ["xyz", undefined],
])("puts the German verb %s into its du form", (verb, expected) => {
  expect(germanYouForm(verb)).toBe(expected);
});
