export { readWhen } from "./read-when.ts";
export { describeSchedule } from "./schedule.ts";
export { createTaskBook, type TaskQuery } from "./task-book.ts";
export { createTaskCapability } from "./task-capability.ts";
export { describeMoment, findTimeZone } from "./zone.ts";
