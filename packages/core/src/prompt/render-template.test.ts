import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderTemplate } from "./render-template.ts";

describe("renderTemplate", () => {
  it.each([
    ["Hi {{name}}.", { name: "Bo" }, "Hi Bo.", []],
    ["Hi {{{ name }}}.", { name: "Bo" }, "Hi Bo.", []],
    ["{{user.city}}", { user: { city: "Rome" } }, "Rome", []],
    ["{{lines}}", { lines: ["a", "b"] }, "a\nb", []],
    ["{{gone}}|{{also.gone}}", {}, "|", ["gone", "also.gone"]],
    ["{{__proto__}}{{constructor}}", {}, "", ["__proto__", "constructor"]],
    ["{ {name} } {{ a b }}", { name: "Bo" }, "{ {name} } {{ a b }}", []],
    ["{{name}}", { name: "{{secret}}", secret: "x" }, "{{secret}}", []],
  ])("renders %j", (template, values, text, missing) => {
    expect(renderTemplate(template, values)).toEqual({ text, missing });
  });

  it("never throws, and leaves a text without placeholders as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const rendered = renderTemplate(text, {}).text;
        if (!text.includes("{{")) expect(rendered).toBe(text);
      }),
    );
  });
});
