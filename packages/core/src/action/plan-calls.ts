import type { DecodedResponse } from "../format/decoded-response.ts";
import type { JsonObject } from "../json.ts";
import type { ActionControl, RegisteredAction } from "./action.ts";

/** One thing an answer asked for. `action` is null when nothing of that name is registered. */
export type PlannedCall = {
  readonly name: string;
  readonly origin: "named" | "keyword";
  readonly action: RegisteredAction | null;
  readonly parameters?: JsonObject;
};

/** What an answer means once its names are looked up. */
export type AnswerPlan = {
  readonly calls: readonly PlannedCall[];
  /** The text is not sent. */
  readonly isSilent: boolean;
  /** The agent is silent in the room until it is addressed again. */
  readonly isStop: boolean;
  /** The text is sent as a quotation. */
  readonly isQuote: boolean;
  /** Nothing usable came: no words where words were meant, and nothing to do. */
  readonly isUnusable: boolean;
};

/** Keywords that are another way to name an action. The others steer the decision and are no calls. */
const actingKeywords = new Set(["LIKE", "RETWEET", "QUOTE", "REPLY", "IGNORE", "STOP"]);

/**
 * Puts an answer's named actions and keywords into one list of calls, in order, each effect once: `[RETWEET]` beside
 * `"action": "RETWEET"` is one call, and steering actions count once however often they are named.
 */
export function planCalls(decoded: DecodedResponse, resolve: (name: string) => RegisteredAction | null): AnswerPlan {
  const calls: PlannedCall[] = [];
  for (const { name, parameters } of decoded.actions) {
    const action = elsewhere(resolve(name), parameters, resolve);
    if (action && "control" in action && calls.some((call) => call.action === action)) continue;
    calls.push({ name: action?.name ?? name, origin: "named", action, ...(parameters && { parameters }) });
  }
  for (const keyword of decoded.keywords) {
    if (!actingKeywords.has(keyword)) continue;
    const action = resolve(keyword);
    if (calls.some((call) => (action ? call.action === action : call.name === keyword))) continue;
    calls.push({ name: action?.name ?? keyword, origin: "keyword", action });
  }
  const has = (control: ActionControl): boolean =>
    calls.some(({ action }) => action !== null && "control" in action && action.control === control);
  const isStop = has("stop");
  const isSilent = isStop || has("ignore");
  const wantsWords = calls.every(({ action }) => action !== null && "control" in action && action.control !== "none");
  const asksForMore = (decoded.providers ?? []).length > 0;
  const isUnusable = decoded.text === "" && !isSilent && !asksForMore && wantsWords;
  return { calls, isSilent, isStop, isQuote: has("quote"), isUnusable };
}

/** QUOTE and REPLY steer what is said to the message that is answered; called with another message and a text, they act on that. */
function elsewhere(
  action: RegisteredAction | null,
  parameters: JsonObject | undefined,
  resolve: (name: string) => RegisteredAction | null,
): RegisteredAction | null {
  if (!action || !("control" in action) || action.elsewhere === undefined) return action;
  const { message, text } = parameters ?? {};
  return typeof message === "string" && typeof text === "string" ? (resolve(action.elsewhere) ?? action) : action;
}
