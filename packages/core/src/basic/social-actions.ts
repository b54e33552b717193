import type { RegisteredAction, SocialKind } from "../action/action.ts";

type SocialAction = {
  readonly name: string;
  readonly kind: SocialKind;
  readonly similes: readonly string[];
  readonly description: string;
};

const socialActions: readonly SocialAction[] = [
  { name: "LIKE", kind: "like", similes: ["FAVORITE", "REACT"], description: "Like the message." },
  {
    name: "RETWEET",
    kind: "retweet",
    similes: ["REPOST", "SHARE", "FORWARD"],
    description: "Pass the message on to one's own followers.",
  },
  { name: "FOLLOW", kind: "follow", similes: ["FOLLOW_USER"], description: "Follow who wrote the message." },
];

/**
 * LIKE, RETWEET and FOLLOW, whose effect is a delivery like text: committed, sent, received; and QUOTE, which sets the form of
 * the text. Offered where the platform can do them; asked for elsewhere, the result says that nothing was done.
 */
export const basicSocialActions: readonly RegisteredAction[] = [
  ...socialActions.map(
    ({ name, kind, similes, description }): RegisteredAction => ({
      name,
      similes,
      description,
      parameters: [
        {
          name: "message",
          description: "The platform's id of another message or person; the newest message when absent",
          schema: { type: "string" },
        },
      ],
      validate: async ({ social }) =>
        social.includes(kind) ? { pass: true } : { pass: false, reason: `this platform cannot ${kind}.` },
      run: async ({ parameters, deliver }) => {
        const platformId = parameters["message"];
        return deliver(kind, typeof platformId === "string" ? { platformId } : undefined);
      },
    }),
  ),
  {
    name: "QUOTE",
    similes: ["QUOTE_TWEET", "QUOTE_POST"],
    description: "Say the text as a quotation of the message.",
    control: "quote",
  },
];
