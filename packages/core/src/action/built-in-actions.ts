import type { RegisteredAction } from "./action.ts";

/** The actions every character has: they steer the conversation itself. In the order the prompt shows them. */
export const builtInActions: readonly RegisteredAction[] = [
  {
    name: "REPLY",
    description: "Say the text. The usual answer.",
    similes: ["RESPOND", "ANSWER", "SPEAK"],
    control: "reply",
    elsewhere: "REPLY_MESSAGE",
  },
  {
    name: "NONE",
    description: "Say the text and do nothing else.",
    similes: ["NO_ACTION"],
    control: "none",
  },
  {
    name: "CONTINUE",
    description: "Say the text, then go on with a further message.",
    similes: ["ELABORATE", "KEEP_TALKING"],
    control: "continue",
  },
  {
    name: "IGNORE",
    description: "Say nothing this time: nobody wants an answer.",
    similes: ["STOP_TALKING", "STOP_CHATTING"],
    control: "ignore",
  },
  {
    name: "STOP",
    description: "Say nothing here until addressed again: the talk is over, or you were asked to be quiet.",
    similes: ["STOP_CONVERSATION"],
    control: "stop",
  },
];
