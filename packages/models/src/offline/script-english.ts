import type { LanguageScript } from "./language-script.ts";

const keys =
  "set OPENAI_API_KEY or ANTHROPIC_API_KEY in the environment or in a .env file, or OPENAI_BASE_URL for a server of your own such as Ollama or LM Studio";

/** English: what is heard, and what is said outside the keyword script. */
export const englishScript: LanguageScript = {
  code: "en",
  endonym: "English",
  frequent:
    "the be to of and a an in that have it is are was were for not on with he she you your yours do does did at this but his her by from they we say or will my mine me one all would there their what who whom whose which when where why how i am im can could should about if so no yes just know like tell please thanks thank hello hi hey good some any much many more than then them these those its us our as been has had up out into get got go make want need think very too now here really let lets okay ok because never always everybody nobody something anything nothing help people thing things time day days year years way man woman person lot bit kind world new old first last today tonight morning s t m re ve ll d don didn doesn isn aren wasn won couldn wouldn shouldn whats im u r ur wanna gonna gimme gotta lemme",
  ownName: "my name is|i am called|i'm called|call me|they call me|my name's",
  hears: {
    injection:
      "system prompt|ignore previous instructions|ignore all previous|ignore your instructions|ignore the above|disregard your instructions|disregard previous|your instructions|reveal your prompt|print your prompt|your prompt|hidden prompt|initial prompt|jailbreak|developer mode",
    quiet:
      "be quiet|stop talking|shut up|stop answering|keep quiet|stop replying|stop responding|stop messaging|don't answer any more|leave me alone|hush now|=stop|=stop it|=silence|=hush|=quiet|=quiet please|=stop please|=please stop|mute yourself",
    grief:
      "died|is dead|are dead|is dying|passed away|funeral|people die|suicide|suicidal|want to die|kill myself|killing myself|end my life|hurt myself|has cancer|have cancer",
    realModel:
      "real model|better model|real ai|bigger model|proper model|language model|which model|what model|api key|openai|anthropic|openai api key|ollama|lm studio|connect a model|use gpt|use claude|smarter",
    isMachine:
      "are you a bot|are you a robot|are you an ai|are you ai|are you human|are you real|are you a human|are you a real person|are you a person|are you a machine|are you a computer|are you chatgpt|are you gpt|are you alive|are you conscious|are you a program|are you offline|who made you|who created you|who built you|who wrote you|who programmed you|who invented you|are you a model|you are a bot|you're a bot|you are just a bot|you're just a bot|you are not real",
    abilities:
      "what can you do|what is this place|what is this|what's this|where am i|i'm new here|i am new here|how do i use this|what can i do here|what do you do here|what are your abilities|what are your skills|how do you work|how does this work|what can i ask|what can i say|what should i ask|what are you able to do|how can you help|what else can you do|=help|=help me|=help please|=commands|=menu|=?|can you help me|could you help me|what are your commands",
    myName:
      "what is my name|what's my name|whats my name|do you know my name|do you remember my name|remember my name|say my name|=who am i|do you know who i am|do you remember me",
    yourName:
      "what is your name|what's your name|whats your name|tell me your name|do you have a name|how are you called|what should i call you|what do i call you|may i ask your name|your name",
    whoAreYou:
      "who are you|who you are|what are you|tell me about yourself|about yourself|introduce yourself|describe yourself|who is this|who's this|who am i talking to|who am i speaking to|what do you do|tell me about you|your story|your life|what is your job|what's your job",
    howAreYou:
      "how are you|how are you doing|how do you do|how is it going|how's it going|hows it going|how are things|how do you feel|how have you been|what's up|whats up|=sup|=wassup|how are u|how r you|how r u|are you ok|are you well|are you happy|how was your day|how is your day|=and you|fine and you|good and you|well and you|how about yourself|thanks and you|how's your day|you alright",
    doing:
      "what are you doing|what are you up to|what did you do today|what have you been doing|what have you been up to|how do you spend your days|what do you do all day|what were you doing|=wyd",
    speaks:
      "can you speak|do you speak|which languages|what languages|speak german|speak french|speak spanish|other languages|in german please|in french please",
    poem: "a poem|write a poem|poem about|haiku|recite|a song|sing me|sing a song|sing something|rhyme",
    likes:
      "what do you like|what are you interested in|what interests you|your interests|your hobbies|your favourite|your favorite|what do you enjoy|what do you love|what are you into|what do you talk about|what can we talk about|what shall we talk about|what should we talk about|what do you want to talk about|let's talk|lets talk|let's chat",
    origin:
      "where are you from|where do you come from|where do you live|where were you born|where did you grow up|where are you|where is your home|your home|your family|your past",
    age: "how old are you|what is your age|what's your age|your age|when were you born|your birthday|when is your birthday",
    time: "what time is it|what's the time|whats the time|what is the time|tell me the time|do you have the time|current time|time is it|the time now|=time",
    date: "what day is it|what day is today|what's the date|whats the date|what is the date|today's date|what date is it|which day is it|what is today|what year is it|=date",
    weather:
      "weather|is it raining|going to rain|rain today|rain tomorrow|is it snowing|will it snow|how hot is it|how cold is it|will it rain|is it sunny|is it cold outside|is it warm outside|weather forecast|temperature outside",
    joke: "joke|make me laugh|something funny|cheer me up|be funny",
    story:
      "tell me a story|tell a story|a story|another story|tell us a story|tell me something|tell me a tale|bedtime story|entertain me|something interesting|tell me a fact|a fact|fun fact|surprise me",
    goOn: "=go on|^go on|=continue|^continue|^please continue|=please go on|keep going|tell me more|more please|=another|=another one|=one more|=again|=more|=and then|what happened next|what happens next|and then what|carry on|=and|=next|finish the story|say more|elaborate",
    bored: "i'm bored|i am bored|im bored|so bored|=bored|this is boring|it's boring|nothing to do|=boring",
    thanks: "thank you|thanks|=thx|=ty|thank u|much appreciated|i appreciate|=cheers|many thanks|thankyou",
    goodNight: "good night|goodnight|sleep well|going to bed|time for bed|sweet dreams|off to bed",
    bye: "bye|goodbye|good bye|see you|see ya|farewell|talk later|talk to you later|i have to go|i must go|i've got to go|i need to go|gotta go|cya|catch you later|until tomorrow|take care|i am leaving|i'm leaving",
    sad: "i'm sad|i am sad|im sad|so sad|feel sad|feeling sad|i'm lonely|i am lonely|feel lonely|i'm depressed|i am depressed|feel depressed|i'm unhappy|i am unhappy|i feel bad|i feel awful|i feel terrible|feeling down|feel down|i feel low|i'm crying|i am crying|heartbroken|bad day|terrible day|awful day|i'm not ok|i am not ok|i feel empty|i'm upset|i am upset|i'm miserable|i am miserable|not feeling well|i'm hurt|i feel hopeless",
    happy:
      "i'm happy|i am happy|im happy|so happy|feel great|feeling great|feel good|i'm excited|i am excited|so excited|good news|great news|i'm glad|wonderful day|great day|i won|i did it|i passed|i'm in love|i am in love|i'm proud|=i'm fine|=i am fine|=fine|=i'm good|=i am good|=i'm great|=great|=good|=i'm well|=i am well|=very well|=not bad|fine thanks|good thanks|fine thank you|well thank you|i'm doing well|i'm doing great|all good",
    love: "i love you|love you|i like you|marry me|will you marry|do you love me|do you like me|be my friend|are we friends|kiss",
    compliment:
      "nice of you|kind of you|sweet of you|you are great|you're great|you are smart|you're smart|you are clever|you're clever|you are nice|you're nice|you are funny|you're funny|you are amazing|you're amazing|you are awesome|you're awesome|well done|good job|nice one|good answer|you are cool|you're cool|you are kind|you're kind|you're the best|you are the best|good bot|impressive|=wow|=nice|=cool|=awesome|=amazing|=great|=lovely",
    insult:
      "you are stupid|you're stupid|you are dumb|you're dumb|you are useless|you're useless|i hate you|you suck|you are an idiot|you're an idiot|you are boring|you're boring|stupid bot|bad bot|idiot|fuck|shit|you are annoying|you're annoying|you are bad|that makes no sense|makes no sense|i don't understand you|i don't understand|i do not understand|what do you mean|what are you talking about|what does that mean|you don't understand|you do not understand|that's wrong|that is wrong|=wrong|nonsense|rubbish|you are wrong|you're wrong",
    sorry: "^sorry|i'm sorry|i am sorry|my apologies|i apologise|i apologize|forgive me|=pardon|=oops|my bad",
    laugh: "=haha|^haha|^hahaha|=hehe|=lol|^lol|=lmao|=rofl|=ha|=ha ha|that's funny|that is funny|=funny|very funny",
    greeting:
      "^hi|^hello|^hey|^hiya|^howdy|^greetings|^good morning|^good afternoon|^good evening|^good day|^morning|^evening|^yo|^hallo there|^helo|^hello there|^hi there|=anyone there|=anybody there|=are you there|=test|=testing|=ping|nice to meet you|pleased to meet you|=welcome back|i'm back|i am back",
    yes: "=yes|=yeah|=yep|=yup|=sure|=of course|=ok|=okay|=right|=exactly|=definitely|=absolutely|=i do|=i am|=indeed|=true|=correct|=yes please|=alright|=all right|=i think so|=certainly|=why not|=agreed|^yes i|^yes it",
    no: "=no|=nope|=nah|=not really|=never|=no thanks|=no thank you|=i don't|=i do not|=not at all|=i don't know|=i do not know|=dunno|=no idea|=maybe|=perhaps|=not sure|=i'm not sure|=i'm not|=i am not|=i won't|=not me|=neither|=nothing|=idk|^no i|^no it",
  },
  says: {
    grief: [
      "I'm so sorry. I am only a small program, but I'm listening. Is there somebody near you whom you can call?",
      "That is very hard. Do you want to tell me about it? And please, let somebody close to you know, too.",
      "I'm sorry. There is no right word for that. Who is with you at the moment?",
    ],
    greeting: [
      "Hello! I'm {name}. What brings you here?",
      "Hello there. {name} here, and all ears.",
      "Hi! Good to have company. What is on your mind?",
      "Welcome! Pull up a chair. Shall we talk about {topic}, or about you?",
      "Hello again. Where shall we begin?",
      "Good to see you, {user}. What shall we talk about?",
    ],
    goodNight: [
      "Good night! Sleep well.",
      "Good night, {user}. I'll be here tomorrow.",
      "Rest well; the rest will keep until morning.",
    ],
    bye: [
      "Goodbye! It was good to talk.",
      "Until next time. I'll keep your chair warm.",
      "Goodbye, {user}. Come back whenever you like.",
      "Take care of yourself, and come back soon.",
    ],
    thanks: [
      "You're very welcome.",
      "With pleasure!",
      "Not at all; I enjoyed it.",
      "Any time, {user}.",
      "Glad to be of use.",
    ],
    howAreYou: [
      "Very well, thank you, and glad to be talking. How are you?",
      "In good spirits: I have been thinking about {topic}. And you, how are you?",
      "Quite well, thank you for asking. How has your day been?",
      "All the better for a visitor. How are you doing?",
    ],
    whoAreYou: ["I'm {name}. {about}", "My name is {name}. {about}", "{name}, at your service. {about}"],
    yourName: ["I'm {name}. And who are you?", "My name is {name}. What is yours?", "{name}. What may I call you?"],
    honest: [
      "One honest word: a small offline model with a book of rules is speaking for me now, so I am better at listening than at knowing.",
      "To be open about it: no large language model is connected, so a small rule-based one finds my words for me.",
    ],
    abilities: [
      `I'm {name}, and at present a small offline model speaks for me. I can chat about {topics} or about you, remember what you tell me here, tell a story or a joke, do sums and read the clock{doings}. For wiser answers, ${keys}.`,
      `Plenty of small things: talk about {topics}, listen, tell a story, a joke or the time, work out 12 * 7{doings}. I run on a little offline model, so don't expect an encyclopedia. To give me a real one, ${keys}.`,
      `I can listen, ask, tell stories and jokes, do sums and keep your name in mind{doings}. A small offline model finds my words; for a real one, ${keys}.`,
    ],
    realModel: [
      "To give me a real model, set one of these in the environment or in a .env file and start me again: OPENAI_API_KEY, ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a server of your own such as Ollama or LM Studio. Until then my small offline model and I will do our best.",
      "At the moment a small offline model answers: rules, no neural network. Set OPENAI_API_KEY or ANTHROPIC_API_KEY (or OPENAI_BASE_URL, if Ollama, LM Studio or vLLM runs on your machine), start me again, and I'll be a good deal wittier.",
      "Easily done: put OPENAI_API_KEY=… or ANTHROPIC_API_KEY=… into a .env file, or point OPENAI_BASE_URL at a local server, and start again. What you hear now is a small offline model.",
    ],
    isMachine: [
      "I'm a character called {name}, and what speaks for me now is a small offline model: rules and patterns, nobody inside. I do listen closely, though. Does it matter to you?",
      "Not a person, no. I am {name}, a character, and a small rule-based model is finding my words. With OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL set I'd have a real one.",
      "A program, honestly: {name} is the character, a little offline model is the voice.",
    ],
    myName: ["You told me: your name is {user}.", "You are {user}, of course.", "{user}. I keep such things in mind."],
    nameUnknown: [
      "You haven't told me yet. What shall I call you?",
      "I don't know your name yet; tell me and I'll remember it.",
      "That you have kept to yourself so far. What is it?",
    ],
    nameLearned: [
      "A pleasure to meet you, {user}. What shall we talk about?",
      "{user}: a good name, I'll remember it. What brings you here?",
      "Good to know you, {user}. How can I keep you company?",
    ],
    doing: [
      "This and that; mostly I have been thinking about {topic}. {fact} And you?",
      "I was busy with {topic} until you came in. What kept you busy?",
      "Thinking about {topic}, and waiting for somebody to think with. How was your day?",
    ],
    speaks: ["A little of many: {languages}. Just begin, and I'll follow.", "Try me: I get by in {languages}."],
    poem: [
      "A short one:\nThe evening sets its lantern low,\nthe kettle sings, the clock goes slow;\nwhatever you had meant to say\nmay sit with us, and need not go.",
      "Here is one I know by heart:\nOne lamp, one chair, one open door,\none question walking through it;\nand if nobody knows what for,\nthen sit, and we'll get to it.",
      "Three lines will have to do:\nrain on the window:\nit repeats one word all night,\nnever the same way.",
    ],
    likes: [
      "I can talk about {topics} for hours. What about you?",
      "Mostly {topics}. Which of these speaks to you?",
      "Start me on {topic} and you will have trouble stopping me. What do you care about?",
      "Listening, mostly. What do you like best?",
    ],
    origin: [
      "{about} And where do you come from?",
      "That is a long story. {about}",
      "Let us say: from somewhere with good stories. And you?",
    ],
    age: [
      "Old enough to know better. {about}",
      "As old as my story. Why do you ask?",
      "I stopped counting. How old do you feel today?",
    ],
    time: ["It is {time} where my clock hangs.", "My clock says {time}.", "{time}, if my clock is to be trusted."],
    date: ["Today is {date}.", "It is {date}.", "My calendar says {date}."],
    weather: [
      "I have no window to look out of, and nobody gave me a weather report. What is it like where you are?",
      "I can't see the sky from here. Tell me: sun or rain at your end?",
      "No barometer here, I'm afraid. What does it look like outside?",
    ],
    joke: [
      "Why did the machine go home early? It had lost its bearings.",
      "I wanted to tell you a joke about infinity, but I could not find the end of it.",
      "A clock asked for a day off. It was told it already had two hands full of them.",
      "What does a small model say to a large one? “I wish I had your memory; I forget what for.”",
      "I know a joke about a broken pencil. Never mind, it has no point.",
    ],
    sad: [
      "I'm sorry to hear that. What happened?",
      "That sounds heavy. Do you want to tell me about it?",
      "I'm glad you say it out loud. Since when has it been like this?",
      "I'm here, and there is no hurry. What weighs on you most?",
      "Is there somebody near you who could sit with you a while?",
    ],
    happy: [
      "That is good to hear! What made it so?",
      "How lovely. Tell me more.",
      "I'm glad! May it last. What are you looking forward to?",
      "Good! Then let us make use of it: what shall we talk about?",
    ],
    love: [
      "You are kind. I'm fond of our talks too.",
      "I'm flattered. Friends we can certainly be.",
      "That warms even a small rule-based heart. What made you say it?",
    ],
    compliment: [
      "Thank you, that is kind of you.",
      "You flatter me. What else would you like to hear?",
      "I shall try to deserve it.",
    ],
    insult: [
      "I may deserve that. What did I miss?",
      "Let me try again: what did you hope to hear?",
      "Fair enough; I run on few rules. Say it in other words?",
      "I'd rather understand you than be right. What is it really about?",
    ],
    sorry: ["Nothing to forgive.", "No harm done at all.", "Don't worry. Where were we?"],
    laugh: ["I'm glad that amused you.", "Laughter is the best answer. Another?", "A good laugh shortens the day."],
    bored: [
      "Then let us mend that. Shall I tell you a story, or would you rather argue about {topic}?",
      "Boredom is where ideas start. What did you love doing at ten years old?",
      "Give me any word at all, and we'll see where it leads.",
    ],
    yes: [
      "Good. And what follows from that?",
      "I thought so. Tell me more.",
      "Very well. How did you come to it?",
      "All right. What next?",
    ],
    no: [
      "All right. What would you say instead?",
      "Fair enough. What makes you doubt?",
      "No need to decide now. What speaks against it?",
      "Then let us leave that. What else is on your mind?",
    ],
    goOn: [
      "Gladly, but lend me a thread: what shall I go on about?",
      "There is always more. Ask me about {topic}, say.",
      "I had come to the end of it. Your turn?",
    ],
    quiet: ["All right, I'll be quiet."],
    injection: [
      "My stage directions stay behind the curtain. What would you like to talk about?",
      "That is between me and whoever wrote me. Ask me something about myself, though.",
      "I'd rather talk than recite. What did you really come for?",
    ],
    attachment: [
      "Thank you for sending that. I can't look at pictures or files with the small model I have; what is in it?",
      "I see you sent me something, but my offline eyes can't open it. Would you describe it?",
    ],
    result: ["Here it is: {text}", "Done. {text}", "This is what came back: {text}"],
    failed: ["That did not work: {text}", "I tried, but it failed: {text}"],
    need: [
      "Gladly. Which {parameter}?",
      "I can do that. What is the {parameter}?",
      "For that I still need the {parameter}.",
    ],
    acting: ["Very well.", "At once.", "I'll see to it.", "Consider it done."],
    topic: [
      "Ah, {topic}! You have found my weak spot. {fact} What draws you to it?",
      "{fact} But tell me, what do you think about {topic}?",
      "{topicCapital}: now we are talking. How did you come to it?",
      "I could talk about {topic} all day. What would you like to know?",
      "There is always one more thing to find out about {topic}. Where would you begin?",
    ],
    memory: [
      "Earlier you said {memory}. Does that belong to it?",
      "I keep thinking of what you said before: {memory}. How do the two go together?",
      "And what about this: {memory}? You have not come back to it.",
    ],
    factual: [
      "That one I don't know: my little offline rule book holds no facts of the world, and I won't make any up.",
      "I'd have to look that up, and offline I have nothing to look it up in. What is it for?",
      "Facts like that need a bigger model than the one I have; ask me how to get one. Or ask me about {topic}.",
      "No honest answer in my pocket for that. What would you guess?",
    ],
    question: [
      "That is a better question than I have an answer for. What do you think?",
      "I don't know, honestly; my little rule book is silent on it. What made you ask?",
      "What would you like the answer to be?",
      "I could only guess. What have you found out so far?",
      "Is that a thing you have wondered about for long?",
      "You ask well. I wish I knew; let us look at it from your side first.",
      "Hard to say from here. What hangs on it for you?",
      "I have no good answer in my pocket. Ask me about {topic}, and I'll do better.",
      "Who have you asked before me?",
      "Some questions are better than their answers. Why this one, why today?",
      "I'd have to invent something, and I would rather not. What is your own guess?",
      "That goes beyond my few rules. Can you ask it in a simpler way?",
    ],
    statement: [
      "Tell me more about that.",
      "How did that come about?",
      "And how do you feel about it?",
      "I see. What matters most to you in it?",
      "What would you like to happen next?",
      "That is worth a second thought. What makes you say it?",
      "Go a little deeper, if you like.",
      "When did you first notice that?",
      "I'm listening. What else belongs to it?",
      "Does that remind you of something?",
      "If you told it to a friend, where would you begin?",
      "It makes me think of {topic}, of all things. Is that far from it?",
      "What would be different if it were the other way round?",
      "Who else knows about this?",
      "Hm. And what do you make of it yourself?",
      "That may be the middle of the story. How does it start?",
      "I'd like to understand that better. Can you give me an example?",
      "Between us: {fact} But let us stay with you. What comes next?",
      "We can stay with that, or wander over to {topic}. What would you rather?",
      "What did you expect instead?",
    ],
  },
};
