import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSpokenLine } from "./spoken-line.ts";
import { findPlace, toHandle, withMentions } from "./stage.ts";
import { createTranscript } from "./transcript.ts";

describe("what is typed into a simulation", () => {
  it("goes to the place it names, or where the last words went", () => {
    const read = (line: string) => readSpokenLine(line, ["discord", "telegram"]);
    const said = { type: "say", platform: "discord", place: "harbour", text: "hello: you" };
    expect(read("discord harbour: hello: you")).toEqual(said);
    expect(read("  Telegram market square:hi ")).toMatchObject({
      platform: "telegram",
      place: "market square",
      text: "hi",
    });
    expect(read("myspace wall: hi")).toEqual({ type: "go-on", text: "myspace wall: hi" });
    expect(["/help", "/QUIT", "/places", "  ", "/mute now"].map((line) => read(line).type)).toEqual([
      ...["help", "quit", "places", "nothing", "go-on"],
    ]);
  });

  it("never breaks the program", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (line) => void readSpokenLine(line, ["discord"])));
  });
});

describe("names on a stage", () => {
  it("become handles of letters and digits, whatever they are", () => {
    expect([toHandle("Miss Bö 2", "x"), toHandle("阿達", "character_1"), toHandle("7", "seven")]).toEqual([
      ...["miss_bo_2", "character_1", "seven"],
    ]);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        expect(toHandle(name, "fallback")).toMatch(/^[a-z][a-z0-9_]{1,19}$/);
      }),
    );
  });

  it("become mentions where they stand alone", () => {
    const mentions = { Ada: "<@1>", "Ada Bo": "<@2>" };
    expect(withMentions("@ada, @Ada Bo and @Adam", mentions)).toBe("<@1>, <@2> and @Adam");
  });

  it("of places are found by their beginning, and told when there is none", () => {
    const places = new Map([...["harbour", "boats", "boathouse"].map((name) => [name, name] as const)]);
    expect([findPlace(places, "#Harbour"), findPlace(places, "harb"), findPlace(places, "boats")]).toEqual([
      ...["harbour", "harbour", "boats"],
    ]);
    expect(() => findPlace(places, "boat")).toThrow("There is no place boat; there are: harbour, boats, boathouse.");
  });
});

describe("a transcript", () => {
  const said = {
    type: "said",
    id: "1",
    room: "r",
    isDirect: false,
    place: "#harbour",
    answers: null,
    addressed: [],
  } as const;

  function begin() {
    const printed: string[] = [];
    let timers: (() => void)[] = [];
    const transcript = createTranscript({
      print: (line) => printed.push(line.replaceAll(/ +/g, " ")),
      later: (_, run) => {
        timers.push(run);
        return () => {
          timers = timers.filter((other) => other !== run);
        };
      },
    });
    const wait = (): void => {
      for (const run of timers.splice(0)) run();
    };
    return { printed, transcript, wait };
  }

  it("prints what people say at once, and what grows when it has grown", () => {
    const { printed, transcript, wait } = begin();
    transcript.note("discord", { ...said, key: "1", by: "Bo", account: null, text: "Hello\n\nthere" });
    transcript.note("discord", { ...said, key: "2", by: "Ada", account: "7", text: "Good" });
    transcript.note("discord", { type: "changed", key: "2", text: "Good morning" });
    expect(printed).toEqual(["discord #harbour Bo: Hello ⏎ there"]);
    wait();
    transcript.note("discord", { type: "changed", key: "2", text: "Good evening" });
    transcript.note("discord", { type: "changed", key: "2", text: "Good evening" });
    transcript.flush();
    transcript.note("discord", { type: "removed", key: "2" });
    expect(printed.slice(1)).toEqual([
      "discord #harbour Ada: Good morning",
      "discord #harbour Ada (changed): Good evening",
      "discord #harbour Ada takes a message back",
    ]);
  });
});
