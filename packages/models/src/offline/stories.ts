/** One part of a story, and the words that offer the next. `offer` is empty at the end. */
export type StoryPart = { readonly text: string; readonly offer: string };

/** Stories the character can tell, each in parts: "go on" brings the next. */
export const stories: readonly (readonly StoryPart[])[] = [
  [
    {
      text: "A lighthouse keeper once noticed that one ship greeted him every night, and he had never seen it by day.",
      offer: "Shall I go on?",
    },
    {
      text: "So one evening he rowed out to meet it. There was no ship: only a fisherman's boy with a lantern, who had thought the lighthouse was greeting him.",
      offer: "There is a little more, if you like.",
    },
    {
      text: "They have kept it up ever since, the two lights, and neither has told the other that he knows. That is the end, or the beginning. What would you have done?",
      offer: "",
    },
  ],
  [
    {
      text: "In a town with two clocks there was a quarter of an hour that belonged to nobody, because the clocks disagreed about it.",
      offer: "Shall I tell you who moved into it?",
    },
    {
      text: "A baker did. She lit her oven when the first clock struck and sold her bread before the second one did, and so it was always the freshest bread in the world.",
      offer: "Say “go on” for the end.",
    },
    {
      text: "When the mayor had the clocks repaired, the whole town complained: nobody had known what the quarter of an hour was for until it was gone. Do you have such a quarter of an hour?",
      offer: "",
    },
  ],
  [
    {
      text: "Somebody once built a machine that could answer every question but one. Naturally, everybody came to ask it only that one.",
      offer: "Shall I go on?",
    },
    {
      text: "The question was: “What should I ask you?” The machine thought about it for a hundred years, and people came to sit beside it while it thought.",
      offer: "More?",
    },
    {
      text: "In the end it said: “You came, you sat, you talked to each other. What was the question again?” And it is said to be a happy machine now. What would you have asked?",
      offer: "",
    },
  ],
];
