import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderPlugins } from "./order-plugins.ts";

const namesOf = (plugins: readonly { readonly name: string }[]) => plugins.map(({ name }) => name);

describe("orderPlugins", () => {
  it("puts dependencies first and otherwise keeps the order", () => {
    const { ordered, failures } = orderPlugins([
      { name: "shop", dependencies: ["money", "users"] },
      { name: "users" },
      { name: "money", dependencies: ["users"] },
      { name: "weather" },
    ]);
    expect(namesOf(ordered)).toEqual(["users", "money", "shop", "weather"]);
    expect(failures).toEqual([]);
  });

  it("names a circle from each of its members and keeps the others", () => {
    const { ordered, failures } = orderPlugins([
      { name: "a", dependencies: ["b"] },
      { name: "b", dependencies: ["c"] },
      { name: "c", dependencies: ["a"] },
      { name: "lonely", dependencies: ["lonely"] },
      { name: "d" },
    ]);
    expect(namesOf(ordered)).toEqual(["d"]);
    expect(failures.map(({ plugin, reason }) => `${plugin}: ${reason}`)).toEqual([
      "a: its dependencies go in a circle: a → b → c → a; remove one of them",
      "b: its dependencies go in a circle: b → c → a → b; remove one of them",
      "c: its dependencies go in a circle: c → a → b → c; remove one of them",
      "lonely: its dependencies go in a circle: lonely → lonely; remove one of them",
    ]);
  });

  it("says who needs a missing plugin, and fails those that depend on it in turn", () => {
    const { ordered, failures } = orderPlugins([
      { name: "top", dependencies: ["middle"] },
      { name: "middle", dependencies: ["gone"] },
      { name: "other" },
    ]);
    expect(namesOf(ordered)).toEqual(["other"]);
    expect(failures).toEqual([
      {
        plugin: "middle",
        reason: 'middle needs the plugin gone, which is not there; add "gone" to the character\'s plugins',
      },
      { plugin: "top", reason: "top needs the plugin middle, which could not be used; see why middle failed" },
    ]);
  });

  it("uses the first of two plugins of one name and names the other", () => {
    const first = { name: "twice" };
    const { ordered, failures } = orderPlugins([first, { name: "twice" }]);
    expect(ordered).toEqual([first]);
    expect(ordered[0]).toBe(first);
    expect(failures[0]?.reason).toMatch(/two plugins named twice/);
  });

  it("looks at test dependencies only when asked", () => {
    const plugins = [{ name: "a", testDependencies: ["b"] }, { name: "b" }];
    expect(namesOf(orderPlugins(plugins).ordered)).toEqual(["a", "b"]);
    expect(namesOf(orderPlugins(plugins, { withTestDependencies: true }).ordered)).toEqual(["b", "a"]);
  });

  it("orders every plugin after its dependencies, or says why not", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const graphs = fc.tuple(
      ...names.map((name) => fc.record({ name: fc.constant(name), dependencies: fc.subarray(names) })),
    );
    fc.assert(
      fc.property(graphs, (plugins) => {
        const { ordered, failures } = orderPlugins(plugins);
        const done: string[] = [];
        for (const { name, dependencies } of ordered) {
          expect(done).toEqual(expect.arrayContaining(dependencies));
          done.push(name);
        }
        expect([...done, ...failures.map(({ plugin }) => plugin)].toSorted()).toEqual(names);
      }),
    );
  });
});
