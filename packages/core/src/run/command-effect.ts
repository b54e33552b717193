import { type Told, tellCommand, toldOf, withNumbers } from "../task/told.ts";
import { commandList, commandParameters, isForModel, resolveCommand } from "./commands.ts";
import { recordNotice } from "./record-text.ts";
import type { Run } from "./run.ts";

/** The command that is run without the model; undefined when the message is one like any other, or a question to the model. */
export function commandToRun({ isCommand, message, parts }: Run): string | undefined {
  const name = message.content.command?.name;
  if (!isCommand || name === undefined) return undefined;
  const isWords = isForModel(name) && resolveCommand(parts.registry.actions(), name) === null;
  return isWords ? undefined : name;
}

/** Writes down the call a command asks for, to be run like any other; one that does not exist is answered at once. */
export async function takeCommand(run: Run, name: string): Promise<void> {
  const { recorder, message, parts } = run;
  const told = toldOf(message);
  if (told) return tell(run, told);
  const actions = run.filter.apply(parts.registry.actions()).actions;
  const action = resolveCommand(actions, name);
  const given = message.content.command?.parameters ?? {};
  recorder.add({ type: "state", step: 1, providers: [] });
  recorder.add({
    type: "action_call",
    callId: commandCallId,
    name: action?.name ?? name,
    parameters: action ? commandParameters(action, given) : given,
    origin: "command",
  });
  if (!action) {
    const names = commandList(actions).map((command) => `/${command.name}`);
    const error = `There is no command /${name.slice(0, 32)} here. There are: ${names.join(", ")}.`;
    recorder.add({ type: "action_result", callId: commandCallId, success: false, refused: "unknown", error });
    recordNotice(run, 1, error);
  }
  await recorder.flush();
}

/** Says what the agent itself has decided to say; on platforms without buttons with its choices as numbered lines. */
async function tell(run: Run, told: Told): Promise<void> {
  const { recorder, client } = run;
  const { text, choices = [] } = told;
  recorder.add({ type: "state", step: 1, providers: [] });
  recorder.add({ type: "action_call", callId: commandCallId, name: tellCommand, parameters: {}, origin: "command" });
  recorder.add({ type: "action_result", callId: commandCallId, success: true });
  const hasButtons = client.choices !== undefined && choices.length <= client.choices.limit;
  recordNotice(run, 1, hasButtons ? text : withNumbers(told), choices);
  await recorder.flush();
}

const commandCallId = "1.0";
