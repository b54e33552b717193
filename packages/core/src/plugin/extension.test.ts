import { describe, expect, it } from "vitest";
import { extension, withExtensions } from "./extension.ts";
import { orderPlugins } from "./order-plugins.ts";
import type { Plugin } from "./plugin.ts";

describe("an extension", () => {
  it("is a plugin whose install is its init", () => {
    const install = (): void => undefined;
    expect(extension({ name: "calendar", install })).toEqual({ name: "calendar", init: install });
  });

  it("is refused by name with everything that is wrong", () => {
    // @ts-expect-error written without types
    expect(() => extension({ name: "x", contexts: {}, install: 1 })).toThrow(/extension x.*contexts.*install/);
    expect(() => extension({ name: " " })).toThrow(/no name/);
  });

  it("stands before what brings it, once however many do", () => {
    const shared = extension({ name: "shared" });
    const inner = extension({ name: "inner", extensions: [shared] });
    const all = withExtensions([
      { name: "a", extensions: [inner] },
      { name: "b", extensions: [shared], dependencies: ["a"] },
    ]);
    expect(all.map(({ name }) => name)).toEqual(["shared", "inner", "a", "b"]);
    expect(all.at(-1)?.dependencies).toEqual(["a", "shared"]);
    expect(orderPlugins(all).failures).toEqual([]);
  });

  it("that brings itself along is a circle, named as one", () => {
    const extensions: Plugin[] = [];
    const self: Plugin = { name: "self", extensions };
    extensions.push(self);
    expect(orderPlugins(withExtensions([self])).failures[0]?.reason).toContain("self");
  });
});
