import { takeUpThread } from "./answer-small-talk.ts";
import { type ActionChoice, chooseAction, readyCall, steeringActions } from "./choose-action.ts";
import { fillLine } from "./choose-line.ts";
import { plainEcho } from "./eliza.ts";
import type { Answer, AnswerAction } from "./encode-answer.ts";
import type { OfferedAction } from "./read-character.ts";
import { linesFor, type Scene } from "./scene.ts";
import { plainWords, readableText } from "./words.ts";

const resultLength = 1_500;
/** Their results say everything; a promise before them would be wrong where they ask back. */
const tellsItself: ReadonlySet<string> = new Set(["WHAT_DO_YOU_KNOW", "FORGET_ME", "LINK_ACCOUNT", "UNLINK_ACCOUNT"]);
const muteWords = /\bmute\b|stumm/i;

/** Tells what the run's actions came to; undefined when there is nothing to tell. */
export function answerResults(scene: Scene): Answer | undefined {
  const told = scene.prompt.results.filter(({ action }) => !steeringActions.has(action)).slice(-5);
  if (told.length === 0) return undefined;
  const sentences = told.map(({ isSuccess, text }) => {
    const said = readableText(text).slice(0, resultLength);
    if (said === "" && isSuccess) return scene.choose.always(linesFor(scene, "acting")) ?? "";
    const lines = linesFor(scene, isSuccess ? "result" : "failed");
    return scene.choose.always(lines, { text: said === "" ? "?" : said }) ?? said;
  });
  return {
    thought: "The action has answered; tell the result.",
    actions: reply(),
    text: [...new Set(sentences)].join(" "),
  };
}

/** Silence when it was asked for, in the strongest form the prompt offers. */
export function answerQuiet(scene: Scene): Answer | undefined {
  const isMute = muteWords.test(scene.text) && isOffered(scene, "MUTE_ROOM");
  if (!scene.intents.includes("quiet") || isMute) return undefined;
  const name = ["STOP", "IGNORE"].find((offered) => isOffered(scene, offered));
  const text = scene.choose.always(linesFor(scene, "quiet")) ?? "";
  const isTextFormat = scene.self.sheet.format === "text";
  if (name === undefined)
    return { thought: "Asked to be quiet.", actions: isTextFormat ? [{ name: "STOP" }] : reply(), text };
  return { thought: "Asked to be quiet.", actions: [{ name }], text: "" };
}

function isOffered(scene: Scene, name: string): boolean {
  return scene.self.sheet.actions.some((action) => action.name === name);
}

/** The ordinary action list of a reply. */
export function reply(): readonly AnswerAction[] {
  return [{ name: "REPLY" }];
}

/** Calls an offered action the message plainly asks for, or asks for what is missing; undefined when none is meant. */
export function answerAction(scene: Scene): Answer | undefined {
  const { actions } = scene.self.sheet;
  if (scene.self.sheet.format === "text" || scene.text === "") return undefined;
  const awaited = awaitedParameter(scene);
  if (awaited !== undefined && scene.intents.length === 0 && !scene.isQuestion) {
    const choice = readyCall(awaited.action, scene.earlier.at(-1) ?? "");
    const filled = choice.kind === "call" ? choice.parameters : {};
    const value = typedValue(awaited.action, awaited.parameter, scene.text);
    return callOf(scene, awaited.action, { ...filled, [awaited.parameter]: value });
  }
  const choice = chooseAction(scene.text, actions);
  if (choice === undefined) return undefined;
  if (choice.kind === "call") return withFirstThings(scene, choice);
  return askFor(scene, choice);
}

/** An action whose description says that it comes before another one is called before it. */
function withFirstThings(scene: Scene, wanted: Extract<ActionChoice, { kind: "call" }>): Answer {
  const answer = callOf(scene, wanted.action, wanted.parameters);
  const before = new RegExp(`\\bbefore ${RegExp.escape(wanted.action.name)}\\b`, "u");
  const first = scene.self.sheet.actions.find(
    ({ name, description }) => name !== wanted.action.name && before.test(description),
  );
  if (!first) return answer;
  const choice = readyCall(first, scene.text);
  if (choice.kind === "ask") return askFor(scene, choice);
  const { actions } = callOf(scene, first, choice.parameters);
  return {
    ...answer,
    thought: `${first.name} comes before ${wanted.action.name}.`,
    actions: [...actions, ...answer.actions],
  };
}

function askFor(scene: Scene, choice: Extract<ActionChoice, { kind: "ask" }>): Answer {
  const text = scene.choose.always(linesFor(scene, "need"), { parameter: spokenName(choice.parameter) });
  return { thought: `${choice.action.name} needs its ${choice.parameter}.`, actions: reply(), text: text ?? "?" };
}

function callOf(scene: Scene, action: OfferedAction, parameters: NonNullable<AnswerAction["parameters"]>): Answer {
  const call = Object.keys(parameters).length === 0 ? { name: action.name } : { name: action.name, parameters };
  const text = tellsItself.has(action.name) ? "" : (scene.choose.always(linesFor(scene, "acting")) ?? "");
  return { thought: `Asked for ${action.name}.`, actions: [call], text };
}

function spokenName(parameter: string): string {
  return plainEcho(
    parameter
      .replaceAll("_", " ")
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase(),
  );
}

function typedValue(action: OfferedAction, parameter: string, text: string): string | number | boolean {
  const property = action.schema?.properties[parameter];
  const given = text
    .replace(/[.!?]+$/, "")
    .slice(0, 500)
    .trim();
  const number = Number.parseFloat(/-?\d+(?:\.\d+)?/.exec(given)?.[0] ?? "");
  if (property?.type === "integer" && Number.isFinite(number)) return Math.trunc(number);
  if (property?.type === "number" && Number.isFinite(number)) return number;
  return property?.options.find((option) => plainWords(given).includes(plainWords(option))) ?? given;
}

/** The parameter the agent asked for in its last line. */
function awaitedParameter(scene: Scene): { readonly action: OfferedAction; readonly parameter: string } | undefined {
  const last = scene.ownLines.at(-1);
  if (last === undefined) return undefined;
  const before = scene.earlier.at(-1) ?? "";
  for (const action of scene.self.sheet.actions) {
    for (const parameter of action.schema?.required ?? []) {
      const asked = linesFor(scene, "need").map((line) => fillLine(line, { parameter: spokenName(parameter) }));
      const isAsked = asked.some((line) => line !== undefined && plainWords(last) === plainWords(line));
      if (isAsked && chooseAction(before, [action]) !== undefined) return { action, parameter };
    }
  }
  return undefined;
}

/** Goes on when asked to: with CONTINUE while there is more and the prompt offers it. */
export function answerGoOn(scene: Scene): Answer | undefined {
  if (!scene.isContinuing && !scene.intents.includes("goOn")) return undefined;
  const next = takeUpThread(scene);
  if (next === undefined) return undefined;
  const goesOn = next.offer !== "" && !scene.isContinuing && isOffered(scene, "CONTINUE");
  return {
    thought: "Asked to go on.",
    actions: [...reply(), ...(goesOn ? [{ name: "CONTINUE" }] : [])],
    text: goesOn || next.offer === "" ? next.text : `${next.text} ${next.offer}`,
  };
}
