import type { CatchUp, Task } from "@troupe/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AddTaskFlags } from "../view/add-task.ts";
import { jsonOption, limitOption, roomOption } from "../view/options.ts";
import type { TasksFlags } from "../view/tasks.ts";
import type { CommandContext } from "./context.ts";

const states = ["active", "paused", "done"] as const satisfies readonly Task["state"][];
const catchUps = ["skip", "once", "all"] as const satisfies readonly CatchUp[];
const task = "a task's id, a beginning of it, or its name";

/** Declares `tasks`: what is to be done at its time, and what to do about it. */
export function addTasksCommand(program: Command, context: CommandContext): void {
  const tasks = program.command("tasks").description("what is to be done at its time: reminders, schedules, choices");
  tasks
    .command("list", { isDefault: true })
    .description("what is planned or held back, the next first")
    .addOption(limitOption(50))
    .option("-s, --state <states>", `only these, with commas between them: ${states.join(", ")}`, readStates)
    .addOption(roomOption())
    .addOption(jsonOption())
    .action(async (flags: TasksFlags) => (await import("../view/tasks.ts")).listTasks(context, flags));
  tasks
    .command("show")
    .description("one task whole")
    .argument("<task>", task)
    .addOption(jsonOption())
    .action(async (wanted: string, flags: { readonly json?: boolean }) =>
      (await import("../view/tasks.ts")).showTask(context, wanted, flags),
    );
  declareAdd(tasks, context);
  declareChange(tasks, context, "pause", "hold a task back until it is resumed");
  declareChange(tasks, context, "resume", "let a task go on that was held back");
  declareChange(tasks, context, "run", "do a task once more at once; its schedule stays");
  declareChange(tasks, context, "remove", "take a task away");
}

function declareAdd(tasks: Command, context: CommandContext): void {
  tasks
    .command("add")
    .description("plan something to be said or asked in a room, or a task of a plugin")
    .argument("<name>", "what to call it")
    .requiredOption("-w, --when <when>", '"tomorrow at 8", "every Monday at 9", "0 9 * * 1", "2026-03-01 14:00"')
    .addOption(roomOption())
    .option("--say <text>", "say this in the room")
    .option("--ask <text>", "have the character answer this in the room")
    .option("--kind <kind>", "a kind of task that a plugin does")
    .option("--payload <json>", "what the plugin is given, a JSON object")
    .option("--time-zone <zone>", "by whose clocks; the character's own if absent")
    .addOption(new Option("--catch-up <policy>", "what to do about times that passed").choices(catchUps))
    .addOption(jsonOption())
    .action(async (name: string, flags: AddTaskFlags) =>
      (await import("../view/add-task.ts")).addTask(context, name, flags),
    );
}

function declareChange(
  tasks: Command,
  context: CommandContext,
  as: "pause" | "resume" | "run" | "remove",
  description: string,
): void {
  tasks
    .command(as)
    .description(`${description}; by the running agent, if there is one`)
    .argument("<task>", task)
    .addOption(jsonOption())
    .action(async (wanted: string, flags: { readonly json?: boolean }) =>
      (await import("../view/change-task.ts")).setTask(context, { as, wanted }, flags),
    );
}

function readStates(written: string): readonly Task["state"][] {
  return written.split(",").map((one) => {
    const state = states.find((known) => known === one.trim().toLowerCase());
    if (state) return state;
    throw new InvalidArgumentError(`Write one or more of ${states.join(", ")}.`);
  });
}
