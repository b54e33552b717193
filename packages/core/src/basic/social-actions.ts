import type { RegisteredAction, SocialKind, Verdict, Whereabouts } from "../action/action.ts";
import { readOffer, refuseOffer } from "../action/offer.ts";
import type { ActionParameter } from "../action/parameter.ts";

type SocialAction = {
  readonly name: string;
  readonly kind: SocialKind;
  readonly similes: readonly string[];
  readonly description: string;
};

const socialActions: readonly SocialAction[] = [
  { name: "LIKE", kind: "like", similes: ["FAVORITE", "REACT"], description: "Like the message." },
  { name: "UNLIKE", kind: "unlike", similes: ["UNFAVORITE"], description: "Take back a like." },
  {
    name: "RETWEET",
    kind: "retweet",
    similes: ["REPOST", "SHARE", "FORWARD"],
    description: "Pass the message on to one's own followers.",
  },
  {
    name: "UNRETWEET",
    kind: "unretweet",
    similes: ["UNREPOST", "UNDO_RETWEET"],
    description: "Take back what was passed on.",
  },
  { name: "BOOKMARK", kind: "bookmark", similes: ["SAVE_POST"], description: "Keep the message for oneself." },
  { name: "FOLLOW", kind: "follow", similes: ["FOLLOW_USER"], description: "Follow who wrote the message." },
];

const whichMessage: ActionParameter = {
  name: "message",
  description: "The platform's id of another message or person; the newest message when absent",
  schema: { type: "string" },
};

const relevance: ActionParameter = {
  name: "relevance",
  description: "How well it fits, 0 to 10; only where messages are listed to choose from",
  schema: { type: "number", minimum: 0, maximum: 10 },
};

/** What is said to a message among those that were shown. */
const sayingActions = [
  { name: "REPLY_MESSAGE", kind: "message", description: "Answer one of the messages that are shown." },
  {
    name: "QUOTE_MESSAGE",
    kind: "quote",
    description: "Quote one of the messages that are shown, with words of one's own.",
  },
] as const;

/**
 * LIKE, RETWEET, FOLLOW … whose effect is a delivery like text: committed, sent, received; and QUOTE, which sets the form of
 * the text. Offered where the platform can do them; asked for elsewhere, the result says that nothing was done.
 */
export const basicSocialActions: readonly RegisteredAction[] = [
  ...socialActions.map(
    ({ name, kind, similes, description }): RegisteredAction => ({
      name,
      similes,
      description,
      parameters: [whichMessage, relevance],
      validate: async ({ social }) => canDo(social, kind),
      run: async ({ parameters, message, deliver }) => {
        const platformId = parameters["message"];
        const offer = readOffer(message);
        const refused = offer && refuseOffer(offer, { kind, message: platformId, relevance: parameters["relevance"] });
        return refused ?? deliver(kind, typeof platformId === "string" ? { platformId } : undefined);
      },
    }),
  ),
  {
    name: "QUOTE",
    similes: ["QUOTE_TWEET", "QUOTE_POST"],
    description: "Say the text as a quotation of the message.",
    control: "quote",
    elsewhere: "QUOTE_MESSAGE",
  },
  ...sayingActions.map(
    ({ name, kind, description }): RegisteredAction => ({
      name,
      similes: [],
      description,
      parameters: [
        { ...whichMessage, description: "The id of the message", required: true },
        { name: "text", description: "What is said", required: true, schema: { type: "string" } },
        relevance,
      ],
      validate: async ({ social, message }) =>
        readOffer(message) === null
          ? { pass: false, reason: "no messages are shown to choose from." }
          : kind === "message"
            ? { pass: true }
            : canDo(social, kind),
      run: async ({ parameters, message, deliver }) => {
        const offer = readOffer(message) ?? { messages: [], kinds: {} };
        const { message: platformId, text } = parameters;
        const refused = refuseOffer(offer, { kind, message: platformId, relevance: parameters["relevance"] });
        return refused ?? deliver(kind, { platformId: String(platformId), text: String(text) });
      },
    }),
  ),
];

function canDo(social: Whereabouts["social"], kind: SocialKind | "quote"): Verdict {
  return social.includes(kind) ? { pass: true } : { pass: false, reason: `this platform cannot ${kind}.` };
}
