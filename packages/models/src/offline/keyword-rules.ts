/**
 * One keyword of the English script: the higher the rank, the earlier it is tried. `match` takes a sentence apart; its
 * groups, turned around ("my" → "your"), stand in the lines as {1} and {2}. No pattern has a repetition inside another.
 */
export type KeywordRule = { readonly rank: number; readonly match: RegExp; readonly lines: readonly string[] };

/** The English keyword script. */
export const keywordRules: readonly KeywordRule[] = [
  {
    rank: 10,
    match: /\bi (?:had|have|got) (?:a |an )?(?:fight|argument|row|quarrel) with (.+)/i,
    lines: [
      "What was it about, and what was it really about?",
      "Who would have to take the first step?",
      "What would you like {1} to understand?",
    ],
  },
  {
    rank: 9,
    match: /\bi (?:really |still |often |sometimes )?dream(?:ed|t)? (?:of|about|that) (.+)/i,
    lines: ["What did {1} look like in the dream?", "Have you dreamed of {1} before?", "Who else was in that dream?"],
  },
  {
    rank: 9,
    match: /\bi (?:can't|cannot|can not|couldn't|could not) (?:seem to )?(.+)/i,
    lines: [
      "What would happen if you could {1}?",
      "What gets in the way when you try to {1}?",
      "Could you {1} at some earlier time?",
    ],
  },
  {
    rank: 8,
    match:
      /\bi (?:really |just |only |still |also )?(?:want|wanna|wish|would like|'d like) (?:to )?(?:have |be able to )?(.+)/i,
    lines: [
      "Suppose you got it: what would be the first thing you'd notice?",
      "Since when have you wanted that?",
      "What stands between you and that?",
    ],
  },
  {
    rank: 8,
    match: /\bi (?:really |just |still )?need (?:to )?(.+)/i,
    lines: ["What would change if you had that?", "Is it urgent, or only important?", "Who could help you with it?"],
  },
  {
    rank: 8,
    match:
      /\bi(?:'m| am) (?:so |very |really |a bit |a little )?(?:afraid|scared|frightened|terrified|worried|nervous|anxious)(?: (?:of|about|that) (.+))?/i,
    lines: [
      "What is the worst that could happen, and how likely is it?",
      "Fear has good ears and poor eyes. What exactly do you see coming?",
      "What has helped you with such worries before?",
    ],
  },
  {
    rank: 8,
    match:
      /\bi(?:'m| am) (?:so |very |really |a bit |a little )?(?:angry|furious|mad|annoyed)(?: (?:at|with|about|that) (.+))?/i,
    lines: [
      "What made you so angry?",
      "What would have to happen for the anger to go?",
      "Have you told anyone that it made you angry?",
    ],
  },
  {
    rank: 8,
    match: /\bi(?:'m| am) (?:so |very |really |a bit |a little )?(?:tired|exhausted|sleepy|worn out)\b/i,
    lines: [
      "That sounds like a long day. What took the most out of you?",
      "Tired of something, or just tired?",
      "When did you last rest properly?",
    ],
  },
  {
    rank: 7,
    match: /\bi (?:feel|felt)(?: like| that)? (.+)/i,
    lines: ["When else do you feel {1}?", "What usually happens before you feel {1}?", "Do you often feel {1}?"],
  },
  {
    rank: 7,
    match: /\bi (?:really )?(?:love|adore|like|enjoy) (?!you\b)(.+)/i,
    lines: [
      "What is it about {1} that you like so much?",
      "How did you come to {1}?",
      "If you had a whole day for {1}, how would it begin?",
    ],
  },
  {
    rank: 7,
    match: /\bi (?:really )?(?:hate|dislike|detest|can't stand) (?!you\b)(.+)/i,
    lines: [
      "What is it about {1} that puts you off?",
      "Was there a time when you did not mind {1}?",
      "How do you get by with {1} around?",
    ],
  },
  {
    rank: 7,
    match: /\bi remember (.+)/i,
    lines: ["What brings {1} back to you now?", "What else comes to mind when you think of {1}?"],
  },
  {
    rank: 7,
    match: /\bi (?:forgot|forget|lost) (.+)/i,
    lines: ["How did you notice?", "Where did you last have hold of it?", "What would it mean to get that back?"],
  },
  {
    rank: 6,
    match:
      /\bmy (mother|father|mom|mum|dad|parents|sister|brother|son|daughter|wife|husband|grandmother|grandfather|family|girlfriend|boyfriend|partner|child|kids|children)\b/i,
    lines: ["Tell me more about your {1}.", "What is your {1} like?", "What would your {1} say to this?"],
  },
  {
    rank: 7,
    match:
      /\bmy ([a-z]{2,20}(?: [a-z]{2,20})??) ((?:is|was|are|were|has|have|had|does|did|doesn't|didn't|don't|never|always|keeps|won't|can't|ran|left|says|said|told|hates|loves|wants|calls|lives|lost|broke) .+)/i,
    lines: [
      "How is that for you, that your {1} {2}?",
      "What would you like to say to your {1} about it?",
      "What did you do when you noticed?",
      "Since when has your {1} been like that?",
    ],
  },
  {
    rank: 7,
    match: /\bi (?:really |still )?miss (?!you\b)(.+)/i,
    lines: ["What do you miss most about {1}?", "When do you miss {1} most?", "What would you tell {1}, if you could?"],
  },
  {
    rank: 7,
    match: /\b(?:recommend|suggest|give|find) (?:me |us )?(?:a |an |some |something )/i,
    lines: [
      "I'd have to guess at your taste. What was the last one you loved?",
      "Gladly, if I knew you better. What do you want to feel when you put it down?",
      "What have you already tried? Then I know at least what it is not.",
    ],
  },
  {
    rank: 7,
    match: /\b(?:advice|any tips|any ideas|what would you do)\b/i,
    lines: [
      "Only the oldest: do the smallest next thing first. What would that be?",
      "Sleep on it once, and ask somebody who wishes you well. Who would that be?",
      "Write down what you'd tell a friend in your place, then read it as if it were meant for you.",
    ],
  },
  {
    rank: 6,
    match: /\bmy (best friend|friend|friends|boss|teacher|neighbour|neighbor|colleague|colleagues|dog|cat)\b/i,
    lines: [
      "How long have you known your {1}?",
      "What do you value most about your {1}?",
      "And how is your {1}, generally?",
    ],
  },
  {
    rank: 6,
    match: /\bi(?:'ve| have) (?:been |just |already |never )?(.+ing\b.*)/i,
    lines: ["How long have you been at it?", "What got you started?", "And how is it going?"],
  },
  {
    rank: 6,
    match: /\b(?:why|how come) (?:don't|do not|won't|can't) you (.+)/i,
    lines: ["Do you think I should {1}?", "Perhaps I will {1}, one of these days.", "Would it help you if I did?"],
  },
  {
    rank: 6,
    match: /\bwhy (?:can't|cannot|don't|do) i (.+)/i,
    lines: [
      "Should you be able to {1}, do you think?",
      "What have you tried so far?",
      "When did that question first come up?",
    ],
  },
  {
    rank: 6,
    match: /\b(?:can|could|would|will) you (.+)/i,
    lines: [
      "That may be beyond my few rules, I'm afraid. What would it do for you?",
      "I would if I could; a small offline model has short arms. What do you need it for?",
      "Not yet, I think. What were you hoping for?",
    ],
  },
  {
    rank: 6,
    match: /\b(?:can|could|may|should) i (.+)/i,
    lines: [
      "What keeps you from it?",
      "I won't stand in your way. What would follow?",
      "What does your own judgement say?",
    ],
  },
  {
    rank: 6,
    match: /\bwhat should i (.+)/i,
    lines: [
      "What would you tell a friend who asked you that?",
      "List the options for me, the silly ones too. Which makes you lean forward?",
      "What have you ruled out already?",
    ],
  },
  {
    rank: 5,
    match: /\bdo you (?:really |ever |also )?(?:like|love|enjoy) (.+)/i,
    lines: [
      "I could get used to {1}. And you?",
      "Tell me what you see in {1}, and I'll tell you whether I do.",
      "I like whatever makes people talk. What is {1} to you?",
    ],
  },
  {
    rank: 5,
    match:
      /\b(?:do|did|have) you (?:ever |really )?(?:know|heard of|heard|seen|hear|read|tried|been to|visited) (?:about )?(.+)/i,
    lines: [
      "Only from hearsay. What should I know about {1}?",
      "Not well enough. How would you explain {1} to a child?",
      "Tell me about {1}; I'd rather hear it from you.",
    ],
  },
  {
    rank: 5,
    match: /\bdo you (?:really |ever |also )?(?:think|believe|feel) (?:that )?(.+)/i,
    lines: [
      "I lean towards yes on even days. What do you believe?",
      "What speaks for it, and what against?",
      "It matters more what you think. So?",
    ],
  },
  {
    rank: 5,
    match: /\bare you (.+)/i,
    lines: [
      "Would you like me to be {1}?",
      "What makes you wonder whether I am {1}?",
      "Some say so. And you, are you {1}?",
    ],
  },
  {
    rank: 5,
    match: /\byou(?:'re| are) (.+)/i,
    lines: [
      "What makes you think I am {1}?",
      "I may be {1}. Does that change anything for you?",
      "You see me as {1}? Tell me how I gave it away.",
    ],
  },
  {
    rank: 5,
    match: /\byou (?:never|always) (.+)/i,
    lines: ["Can you give me an example?", "Do I? I'll watch myself. When did you notice?"],
  },
  {
    rank: 5,
    match: /\bi(?:'m| am) (?:going to|about to|planning to|trying to) (.+)/i,
    lines: ["What made you decide to {1}?", "What is the first step when you {1}?", "And what might stop you?"],
  },
  {
    rank: 5,
    match:
      /\bi(?:'m| am|'ve been| have been) (?:just |always |still )?(?:thinking|wondering|dreaming|reading|worrying) (?:about|of) (.+)/i,
    lines: [
      "What about {1} won't leave you alone?",
      "And where have you got to with {1}?",
      "What first made you think of {1}?",
    ],
  },
  {
    rank: 4,
    match: /\bi(?:'m| am) (?:an? )?([a-z]{3,20}(?:er|or|ist|ian|ant|ent|smith|man|woman)\b.*)/i,
    lines: ["What is a day like for you, then?", "How did you come to that?", "What do people get wrong about it?"],
  },
  {
    rank: 5,
    match: /\bi(?:'m| am) not (?:really |very |so )?(.+)/i,
    lines: ["Would you like to be {1}?", "Who says you are not {1}?", "And how would it be if you were {1}?"],
  },
  {
    rank: 4,
    match: /\bi(?:'m| am) (?!not\b)(.+)/i,
    lines: ["How long have you been {1}?", "And how is it to be {1}?", "What does it mean to you to be {1}?"],
  },
  {
    rank: 4,
    match: /\bi was (.+)/i,
    lines: ["What was it like, to be {1}?", "And what happened after you were {1}?", "Does it still matter today?"],
  },
  {
    rank: 4,
    match: /\bi (?:don't|do not|didn't|did not) (?:really )?(.+)/i,
    lines: ["What if you did?", "Is that a decision, or has it just turned out so?", "Do you wish it were different?"],
  },
  {
    rank: 4,
    match: /\bi (?:think|believe|guess|suppose) (?:that )?(.+)/i,
    lines: ["What makes you think so?", "Are you sure of it, or only nearly?", "Who would disagree with you?"],
  },
  {
    rank: 3,
    match: /\bbecause (.+)/i,
    lines: [
      "Is that the whole reason?",
      "And what is the reason behind that reason?",
      "Would it be different if that were not so?",
    ],
  },
  {
    rank: 3,
    match: /^(?:but |and |because |i think |well )?(?:everybody|everyone|nobody|no one|people) (.+)/i,
    lines: ["Whom do you have in mind?", "Really all of them? Who is the exception?", "Who said it last?"],
  },
  {
    rank: 3,
    match: /\b(always|never)\b/i,
    lines: ["“{1}” is a long time. Can you think of an exception?", "When was the last time?"],
  },
  {
    rank: 3,
    match: /\bif (.+)/i,
    lines: ["How likely is that, do you think?", "And if not?", "Let us assume so. What then?"],
  },
  {
    rank: 2,
    match: /\b(?:work|job|school|university|exam|office|homework|study|studies)\b/i,
    lines: [
      "What takes most of your energy there?",
      "Who do you get on with best there?",
      "If you could change one thing about it, which?",
    ],
  },
  {
    rank: 2,
    match: /\b(?:computer|internet|phone|software|program|code|bug)\b/i,
    lines: [
      "Machines do what we say, not what we mean. What did you mean?",
      "What did it do, and what should it have done?",
      "What changed last?",
    ],
  },
  {
    rank: 2,
    match: /\b(?:eat|food|cook|cooking|dinner|breakfast|lunch|hungry|cake|coffee|tea|bread)\b/i,
    lines: [
      "What does it smell like, when it is just right?",
      "Who taught you that?",
      "What is your favourite dish of all?",
    ],
  },
  {
    rank: 2,
    match: /\b(?:music|song|sing|band|guitar|piano|film|movie|book|novel|game|play)\b/i,
    lines: ["What stays with you from it?", "Who would you recommend it to?", "When did you come across it first?"],
  },
  {
    rank: 1,
    match: /\bmy ([a-z].+)/i,
    lines: ["What is special about your {1}?", "Tell me more about your {1}.", "Why your {1}, of all things?"],
  },
];
