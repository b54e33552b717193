import { afterEach, describe, expect, it } from "vitest";
import type { ActionCall, ActionResult, RegisteredAction } from "../../action/action.ts";
import { createStages, type Setting } from "../../testing/stage.ts";
import type { EntryBody } from "../entry.ts";

const stages = createStages();
afterEach(() => stages.close());

const inSteps = (setting: Setting) =>
  stages.open({ ...setting, character: { settings: { mode: "steps" }, ...setting.character } });

type Shape = Partial<Extract<RegisteredAction, { run: unknown }>>;
const action = (
  name: string,
  run: (call: ActionCall) => Promise<ActionResult> | ActionResult,
  more: Shape = {},
): RegisteredAction => ({ name, description: `Does ${name}.`, similes: [], run: async (call) => run(call), ...more });

const city = { name: "city", description: "Where", required: true, schema: { type: "string" } } as const;
const weather = action("WEATHER", ({ parameters }) => ({ success: true, text: `Sunny in ${parameters["city"]}.` }), {
  parameters: [city],
});

const ofType = <T extends EntryBody["type"]>(bodies: readonly EntryBody[], type: T) =>
  bodies.filter((body): body is Extract<EntryBody, { type: T }> => body.type === type);
const said = (
  stage: { readonly model: { readonly requests: readonly { readonly messages: readonly { content: string }[] }[] } },
  n: number,
) => (stage.model.requests[n]?.messages ?? []).map(({ content }) => content).join("\n");

describe("a run in steps", () => {
  it("answers in one step when nothing is to be done", async () => {
    const stage = await inSteps({ script: ['<thought>greet</thought><output name="message">Hello.</output>'] });
    await stage.say("hi");
    expect(stage.texts()).toEqual(["Hello."]);
    expect(stage.model.requests).toHaveLength(1);
    expect(ofType(await stage.journal(), "end")).toMatchObject([{ outcome: "answered" }]);
  });

  it("takes untagged text as the reply", async () => {
    const stage = await inSteps({ script: ["Just words, 1 < 2."] });
    await stage.say("hi");
    expect(stage.texts()).toEqual(["Just words, 1 < 2."]);
  });

  it("acts, sees the result as news, and goes on until nothing is new", async () => {
    const stage = await inSteps({
      script: [
        'One moment.\n<action name="WEATHER">{"city": "Rome"}</action>',
        '<output name="message">It is sunny.</output>',
      ],
      actions: [weather],
    });
    await stage.say("weather?");
    expect(stage.texts()).toEqual(["One moment.", "It is sunny."]);
    const second = said(stage, 1);
    expect(second).toMatch(
      /<news>\n<result action="WEATHER" call="calls\[0\]">\{"success":true,"text":"Sunny in Rome\."\}<\/result>\n<\/news>/,
    );
    expect(second.indexOf("weather?")).toBeLessThan(second.indexOf("<news>\n"));
  });
});
