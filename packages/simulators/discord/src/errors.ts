import type { WireAnswer } from "@troupe/simulator-wire";

/** A refusal as Discord words it. @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, code: number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "DiscordError";
    this.status = status;
    this.code = code;
    this.extra = extra;
  }
}

const known = {
  badRequest: [400, 0, "400: Bad Request"],
  unauthorized: [401, 0, "401: Unauthorized"],
  notFound: [404, 0, "404: Not Found"],
  wrongMethod: [405, 0, "405: Method Not Allowed"],
  unknownApplication: [404, 10002, "Unknown Application"],
  unknownChannel: [404, 10003, "Unknown Channel"],
  unknownGuild: [404, 10004, "Unknown Guild"],
  unknownMember: [404, 10007, "Unknown Member"],
  unknownMessage: [404, 10008, "Unknown Message"],
  unknownUser: [404, 10013, "Unknown User"],
  unknownEmoji: [400, 10014, "Unknown Emoji"],
  unknownWebhook: [404, 10015, "Unknown Webhook"],
  unknownInteraction: [404, 10062, "Unknown interaction"],
  unknownCommand: [404, 10063, "Unknown application command"],
  notYourApplication: [403, 20012, "You are not authorized to perform this action on this application"],
  tooManyPins: [400, 30003, "Maximum number of pins reached (250)"],
  tooManyReactions: [400, 30010, "Maximum number of reactions reached (20)"],
  tooManyCommands: [400, 30032, "Maximum number of application commands reached (100)"],
  tooLarge: [413, 40005, "Request entity too large"],
  forumMessage: [400, 40058, "Cannot send a message in a forum channel"],
  alreadyAcknowledged: [400, 40060, "Interaction has already been acknowledged."],
  alreadyCrossposted: [400, 40033, "This message has already been crossposted."],
  tagRequired: [400, 40067, "A tag is required to create a forum post in this channel"],
  missingAccess: [403, 50001, "Missing Access"],
  directChannel: [400, 50003, "Cannot execute action on a DM channel"],
  othersMessage: [403, 50005, "Cannot edit a message authored by another user"],
  emptyMessage: [400, 50006, "Cannot send an empty message"],
  closedToYou: [403, 50007, "Cannot send messages to this user"],
  notText: [400, 50008, "Cannot send messages in a non-text channel"],
  missingPermissions: [403, 50013, "Missing Permissions"],
  wrongBulk: [
    400,
    50016,
    "Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete.",
  ],
  systemMessage: [403, 50021, "Cannot execute action on a system message"],
  wrongChannelType: [400, 50024, "Cannot execute action on this channel type"],
  invalidWebhookToken: [401, 50027, "Invalid Webhook Token"],
  invalidRecipient: [400, 50033, "Invalid Recipient(s)"],
  tooOld: [400, 50034, "A message provided was too old to bulk delete"],
  archivedThread: [400, 50083, "Thread is archived"],
  invalidJson: [400, 50109, "The request body contains invalid JSON."],
  noMutualGuild: [403, 50278, "Cannot send messages to this user due to having no mutual guilds"],
  replyWithoutHistory: [400, 160_002, "Cannot reply without permission to read message history"],
  hasThread: [400, 160_004, "A thread has already been created for this message"],
  lockedThread: [403, 160_005, "Thread is locked"],
  unreadableForward: [400, 160_014, "You cannot forward a message whose content you cannot read."],
} as const;

/** A refusal by its name here. */
export function refusal(name: keyof typeof known): DiscordError {
  const [status, code, message] = known[name];
  return new DiscordError(status, code, message);
}

/** What the client is answered. */
export function toAnswer(error: DiscordError): WireAnswer {
  return { status: error.status, body: { message: error.message, code: error.code, ...error.extra } };
}

type ErrorTree = { [key: string]: ErrorTree | readonly { readonly code: string; readonly message: string }[] };

/** What is wrong with a body, field by field. */
export type FormErrors = {
  readonly isEmpty: boolean;
  add(path: readonly string[], code: string, message: string): void;
  /** @throws DiscordError 50035 when anything was added. */
  check(): void;
};

/** Makes an empty list of them. @see https://discord.com/developers/docs/reference#error-messages */
export function createFormErrors(): FormErrors {
  const found: { readonly path: readonly string[]; readonly code: string; readonly message: string }[] = [];
  return {
    get isEmpty() {
      return found.length === 0;
    },
    add: (path, code, message) => void found.push({ path, code, message }),
    check() {
      if (found.length === 0) return;
      const tree: ErrorTree = Object.create(null) as ErrorTree; // No inherited names: keys come from the body.
      for (const { path, code, message } of found) insert(tree, path, { code, message });
      throw new DiscordError(400, 50035, "Invalid Form Body", { errors: tree });
    },
  };
}

function insert(
  tree: ErrorTree,
  path: readonly string[],
  entry: { readonly code: string; readonly message: string },
): void {
  let node = tree;
  for (const key of path) {
    const next = node[key];
    if (next && !Array.isArray(next)) {
      node = next as ErrorTree; // Not a list of errors: those stand only under `_errors`.
      continue;
    }
    const created: ErrorTree = Object.create(null) as ErrorTree;
    node[key] = created;
    node = created;
  }
  const old = node["_errors"];
  node["_errors"] = [...(Array.isArray(old) ? old : []), entry];
}

/** A single wrong field. */
export function invalidForm(path: readonly string[], code: string, message: string): DiscordError {
  const errors = createFormErrors();
  errors.add(path, code, message);
  try {
    errors.check();
  } catch (error) {
    if (error instanceof DiscordError) return error;
    throw error;
  }
  return new DiscordError(400, 50035, "Invalid Form Body");
}
