/** A plugin's name in all the ways it is written. */
export type PluginNames = {
  /** `weather-report`. */
  readonly name: string;
  /** `@troupe/plugin-weather-report`. */
  readonly packageName: string;
  /** `weatherReport`. */
  readonly camelCase: string;
  /** `WEATHER_REPORT`. */
  readonly upperCase: string;
};

/** What the files of a new plugin depend on. */
export type TemplateParts = {
  /** How the package of the engine is found: a version as package.json has it. */
  readonly core: string;
  /** The version of vitest, where the workspace does not bring it. */
  readonly vitest?: string;
};

/** The files of a new plugin, by their paths in its folder. They pass the project's own checks, and their test passes. */
export function pluginFiles(names: PluginNames, parts: TemplateParts): ReadonlyMap<string, string> {
  const isInWorkspace = parts.vitest === undefined;
  return new Map([
    ["package.json", packageFile(names, parts)],
    ...(isInWorkspace ? [["turbo.json", '{ "extends": ["//"], "tags": ["part"] }\n'] as const] : []),
    ["README.md", readmeFile(names)],
    ["src/index.ts", `export { ${names.camelCase}Plugin } from "./plugin.ts";\n`],
    ["src/plugin.ts", pluginFile(names)],
    ["src/plugin.test.ts", testFile(names)],
  ]);
}

function packageFile({ packageName }: PluginNames, { core, vitest }: TemplateParts): string {
  const content = {
    name: packageName,
    version: "0.1.0",
    private: true,
    type: "module",
    exports: { ".": "./src/index.ts" },
    dependencies: { "@troupe/core": core },
    ...(vitest !== undefined && { devDependencies: { vitest } }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function readmeFile({ name, packageName, upperCase }: PluginNames): string {
  return `# ${packageName}

A plugin. It has one action, \`ASK_${upperCase}\`, and one provider, \`${upperCase}\`, to change into your own.

Put its name under \`plugins\` in a character's file. Its settings stand in the same file:
\`"settings": { "pluginConfig": { "${name}": { "greeting": "Ahoy" } } }\`.

Test it with \`vitest run\`.
`;
}

function pluginFile({ name, camelCase, upperCase }: PluginNames): string {
  return `import type { Action, Plugin, Provider } from "@troupe/core";

const askedKey = "${name}:asked";

/** What the agent can do: the model calls it by its name, with parameters that were checked before they arrive here. */
const ask${upperFirst(camelCase)}: Action = {
  name: "ASK_${upperCase}",
  description: "Greets somebody by name, as often as they like.",
  parameters: [
    { name: "name", description: "Whom to greet.", required: true, schema: { type: "string" } },
    {
      name: "times",
      description: "How often.",
      schema: { type: "integer", minimum: 1, maximum: 5, default: 1 },
    },
  ],
  validate: () => true,
  async handler({ cache, config }, _message, _state, { parameters }) {
    const greeting = \`\${config.greeting ?? "Hello"}, \${parameters.name}!\`;
    const text = Array.from({ length: Number(parameters.times) }, () => greeting).join(" ");
    return { success: true, text, values: { asked: await cache.increment(askedKey) } };
  },
};

/** What the model is told before it answers. */
const ${camelCase}Provider: Provider = {
  name: "${upperCase}",
  async get({ cache }) {
    const asked = Number(await cache.get(askedKey));
    return { text: \`# ${upperFirst(name.replaceAll("-", " "))}\\nGreetings so far: \${asked}.\`, values: { asked } };
  },
};

/** Everything the plugin brings along. */
export const ${camelCase}Plugin: Plugin = {
  name: "${name}",
  description: "Greets people, and remembers how often.",
  actions: [ask${upperFirst(camelCase)}],
  providers: [${camelCase}Provider],
};
`;
}

function testFile({ camelCase, upperCase }: PluginNames): string {
  return `import { createTestRuntime, type TestRuntime } from "@troupe/core/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ${camelCase}Plugin } from "./plugin.ts";

let test: TestRuntime;

beforeEach(async () => {
  test = await createTestRuntime({ plugins: [${camelCase}Plugin] });
});

afterEach(() => test.close());

it("greets as often as asked", async () => {
  const { result } = await test.act("ASK_${upperCase}", { name: "Bo", times: "2" });
  expect(result).toEqual({ success: true, text: "Hello, Bo! Hello, Bo!", values: { asked: 1 } });
});

it("does nothing without a name, and says why", async () => {
  const { result, refused } = await test.act("ASK_${upperCase}");
  expect(refused).toBe("parameters");
  expect(result.error).toContain("name");
});

it("tells the model how often it has greeted", async () => {
  await test.act("ASK_${upperCase}", { name: "Bo" });
  const { texts } = await test.compose();
  expect(texts.map(({ text }) => text).join()).toContain("Greetings so far: 1.");
});
`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
