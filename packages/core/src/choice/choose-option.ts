import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Roles } from "../basic/roles.ts";
import type { Clock } from "../clock.ts";
import { escapeTags } from "../state/escape.ts";
import type { RegisteredProvider } from "../state/provider.ts";
import type { Store } from "../store/store.ts";
import { markOf, type OfferedChoice, readButton } from "./choice.ts";
import type { OwnChoices } from "./choices.ts";

/** What choosing takes. */
export type ChooseParts = {
  readonly agentId: string;
  readonly choices: OwnChoices;
  readonly roles: Roles;
  readonly store: Pick<Store, "rooms">;
  readonly clock: Pick<Clock, "now">;
};

const longestNote = 10_000;

/** CHOOSE_OPTION: answers a choice that is open in the room, by button, number or words; whoever it is for, or an owner or admin. */
export function createChooseOption(parts: ChooseParts): RegisteredAction {
  return {
    name: "CHOOSE_OPTION",
    similes: ["CHOOSE", "SELECT_OPTION", "PICK_OPTION", "SELECT"],
    description: "Answer one of the open questions of this room with what the person chose.",
    command: "choose",
    tags: ["tasks"],
    policy: { idempotent: true },
    parameters: [
      {
        name: "value",
        description: "The number or the words of the option",
        required: true,
        schema: { type: "string" },
      },
      {
        name: "question",
        description: "Which question, by its number or words of it, if several are open",
        schema: { type: "string" },
      },
      {
        name: "note",
        description: "What the person said to go with it, word for word, such as a corrected text",
        schema: { type: "string" },
      },
    ],
    validate: async ({ room, message }) => {
      // A button may be pressed late; then it is answered with what became of the choice.
      if (message.content.command) return { pass: true };
      const open = await parts.choices.inRoom(room.room.id);
      return open.length > 0 ? { pass: true } : { pass: false, reason: "no question is open in this room." };
    },
    run: (call) => choose(call, parts),
  };
}

/** CHOICES: the questions that are open in the room, for the model to know what an answer answers. */
export function createChoicesProvider(choices: OwnChoices): RegisteredProvider {
  return {
    name: "CHOICES",
    description: "Questions that are open in this room.",
    position: 850,
    async get({ message }) {
      const open = await choices.inRoom(message.roomId);
      if (open.length === 0) return {};
      const lines = open.map(({ text, options }, n) => {
        const shown = options.map(({ label }, at) => `${at + 1}) ${oneLine(label)}`).join(" ");
        return `- question ${n + 1}: “${oneLine(text)}” ${shown}`;
      });
      return { text: `Open questions here, to be answered with CHOOSE_OPTION:\n${lines.join("\n")}` };
    },
  };
}

function oneLine(text: string): string {
  const line = [...escapeTags(text).replace(/\s+/gu, " ").trim()];
  return line.length > 200 ? `${line.slice(0, 199).join("")}…` : line.join("");
}

const refused = (error: string): ActionResult => ({ success: false, error });

async function choose(call: ActionCall, parts: ChooseParts): Promise<ActionResult> {
  const { parameters, room, message } = call;
  const all = await parts.choices.inRoom(room.room.id, "all");
  const found = findOption(all, String(parameters["value"]).trim(), parameters["question"]);
  if (typeof found === "string") return refused(found);
  const { choice, option } = found;
  const { label, value } = option;
  const { entityId } = message;
  // The call may be repeated by a process that went on with its run.
  if (choice.answer?.entityId === entityId && choice.answer.value === value) return chosen(label);
  if (choice.state !== "open") return refused(closed(choice));
  const problem = await mayNot(call, choice, parts);
  if (problem !== null) return refused(problem);
  const note = typeof parameters["note"] === "string" ? parameters["note"].trim() : "";
  if (note.length > longestNote) return refused(`That is too long to go with it; say it in ${longestNote} characters.`);
  const answer = { value, label, entityId, at: parts.clock.now(), ...(note !== "" && { note }) };
  const answered = await parts.choices.answer(choice.id, answer);
  if (answered) return chosen(label);
  const now = await parts.choices.get(choice.id);
  return refused(now ? closed(now) : "That question was taken back.");
}

const chosen = (label: string): ActionResult => ({ success: true, text: `Chosen: ${label}.` });

function closed({ state, answer }: OfferedChoice): string {
  switch (state) {
    case "answered":
      return `That question was answered already: ${answer?.label ?? ""}.`;
    case "expired":
      return "That question has expired; nothing was chosen.";
    case "withdrawn":
      return "That question was taken back.";
    case "open":
      return "That question cannot be answered at this moment; try again.";
  }
}

type Found = { readonly choice: OfferedChoice; readonly option: OfferedChoice["options"][number] };

/** The option that is meant, or a sentence why none is. */
function findOption(all: readonly OfferedChoice[], said: string, question: unknown): Found | string {
  const button = readButton(said);
  if (button) {
    const choice = all.find(({ id }) => markOf(id) === button.mark);
    const option = choice?.options[button.option];
    return choice && option ? { choice, option } : "That question is not known here any more.";
  }
  const open = all.filter(({ state }) => state === "open");
  if (open.length === 0) return "No question is open here.";
  const asked = typeof question === "string" && question.trim() !== "" ? findQuestions(open, question.trim()) : open;
  const meant = asked.flatMap((choice) => optionOf(choice, said) ?? []);
  const [first, ...others] = meant;
  if (first && others.length === 0) return first;
  if (first) return `Several questions are open; say which one is meant as well:\n${listed(open)}`;
  const [only] = asked;
  if (only && asked.length === 1) {
    const labels = only.options.map(({ label }, n) => `${n + 1}. ${label}`).join("\n");
    return `${JSON.stringify(said.slice(0, 60))} is none of the options:\n${labels}`;
  }
  return `${JSON.stringify(said.slice(0, 60))} is no option of the open questions:\n${listed(open)}`;
}

function findQuestions(open: readonly OfferedChoice[], question: string): readonly OfferedChoice[] {
  const byNumber = /^\d{1,3}$/u.test(question) ? open[Number(question) - 1] : undefined;
  if (byNumber) return [byNumber];
  const wanted = question.toLowerCase();
  return open.filter(({ text }) => text.toLowerCase().includes(wanted));
}

function listed(open: readonly OfferedChoice[]): string {
  return open.map(({ text }, n) => `${n + 1}. ${oneLine(text)}`).join("\n");
}

/** By label or value, else by number: a label that is a number is meant as it stands. */
function optionOf(choice: OfferedChoice, said: string): Found | null {
  const wanted = said.toLowerCase().replace(/[.!]$/u, "");
  const { options } = choice;
  const byWords = options.find(({ label, value }) => label.trim().toLowerCase() === wanted || value === said);
  const number = /^(\d{1,2})[.)]?$/u.exec(wanted)?.[1];
  const option = byWords ?? (number === undefined ? undefined : options[Number(number) - 1]);
  return option ? { choice, option } : null;
}

/** Why somebody may not answer; null when they may. */
async function mayNot(
  { message, room }: ActionCall,
  choice: OfferedChoice,
  parts: ChooseParts,
): Promise<string | null> {
  const { world } = room;
  if (choice.entityId === message.entityId) return null;
  if (choice.entityId === undefined && !world) return null;
  const ids = choice.entityId === undefined ? [message.entityId] : [message.entityId, choice.entityId];
  const people = await parts.store.rooms.entities(parts.agentId, ids);
  const asker = people.find(({ id }) => id === message.entityId);
  const rank = world && asker ? (await parts.roles.ranksIn(world)).rankOf(asker) : "none";
  if (rank === "owner" || rank === "admin") return null;
  const asked = people.find(({ id }) => id === choice.entityId);
  if (!asked) return "Only an owner or admin may answer this.";
  return `This is for ${asked.name} to answer${world ? ", or an owner or admin" : ""}.`;
}
