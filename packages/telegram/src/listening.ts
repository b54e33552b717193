import type { ClientParts, Clock, Receive } from "@troupe/core";
import { createRoomQueues } from "@troupe/core/client";
import { errorMessage } from "@troupe/core/errors";
import type { TelegramApi } from "./api.ts";
import type { Choices } from "./choices.ts";
import { failureFields, readFailure } from "./errors.ts";
import type { TelegramSettings } from "./options.ts";
import { type Fields, fieldsOf, readMessage, textIn } from "./payload.ts";
import { type Heard, toHeard } from "./updates.ts";

/** What listening needs. */
type ListeningParts = Pick<ClientParts, "log" | "random" | "commands"> & {
  readonly api: Pick<TelegramApi, "call">;
  readonly clock: Clock;
  readonly choices: Pick<Choices, "valueOf">;
  readonly settings: TelegramSettings;
  readonly receive: Receive;
  readonly signal: AbortSignal;
  readonly agentId: string;
  readonly agentName: string;
  readonly account: string;
  readonly botId: number;
  readonly username: string;
};

/** Takes updates in: each room's one after the other, rooms side by side. */
export type Listening = {
  /** Resolves once the update is durable; tries until it is. Rejects only when all ends. */
  accept(update: Fields): Promise<void>;
  /** The same, tried once: rejects when it could not be kept. */
  acceptOnce(update: Fields): Promise<void>;
};

const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** In which topic the newest messages of forums stand. */
const keptTopics = 10_000;

/** The ears of one bot. An update that cannot be understood is passed over: its shape is logged, never its text. */
export function createListening(parts: ListeningParts): Listening {
  const { log, signal } = parts;
  const rooms = createRoomQueues();
  const topics = new Map<string, number>();

  const understand = async (update: Fields): Promise<Heard> => {
    rememberTopic(topics, update);
    const data = textIn(fieldsOf(update["callback_query"]), "data") ?? "";
    const value = data === "" ? "" : await parts.choices.valueOf(data);
    const { agentId, agentName, account, botId, username } = parts;
    try {
      return toHeard(update, {
        ...{ agentId, agentName, account, botId, username },
        commands: parts.commands().map(({ name }) => name),
        now: parts.clock.now(),
        answerWithinMs: parts.settings.answerWithinMs,
        topicOf: (chatId, messageId) => topics.get(`${chatId}:${messageId}`),
        choiceOf: () => value,
      });
    } catch (error) {
      log.warn(
        { fields: Object.keys(update), error: errorMessage(error) },
        "an update was not understood; passed over",
      );
      return { events: [] };
    }
  };

  const handOver = async (update: Fields): Promise<void> => {
    signal.throwIfAborted();
    const { events, callbackId } = await understand(update);
    for (const event of events) {
      signal.throwIfAborted();
      await parts.receive(event);
    }
    if (callbackId !== undefined) void answerPress(parts, callbackId);
  };

  const untilKept = async (update: Fields): Promise<void> => {
    for (let failures = 0; ; failures += 1) {
      try {
        return await handOver(update);
      } catch (error) {
        signal.throwIfAborted();
        if (failures === 0) log.warn({ error: errorMessage(error) }, "a message could not be kept; offering it again");
        const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.75 + parts.random() / 2);
        await parts.clock.sleep(pauseMs, signal);
      }
    }
  };

  return {
    accept: (update) => rooms.run(roomOf(update), () => untilKept(update)),
    acceptOnce: (update) => rooms.run(roomOf(update), () => handOver(update)),
  };
}

/** The room an update belongs to, as far as it says; what belongs to none waits in one queue. */
function roomOf(update: Fields): string {
  for (const [name, value] of Object.entries(update)) {
    if (name === "update_id") continue;
    const said = fieldsOf(fieldsOf(value)?.["message"]) ?? fieldsOf(value);
    const chat = fieldsOf(said?.["chat"]);
    if (chat)
      return `${String(chat["id"])}/${said?.["is_topic_message"] === true ? String(said["message_thread_id"]) : ""}`;
  }
  return "";
}

/** A reaction to a message does not say in which topic it stands. */
function rememberTopic(topics: Map<string, number>, update: Fields): void {
  const message = readMessage(update["message"]);
  if (message?.topicId === undefined) return;
  topics.set(`${message.chat.id}:${message.id}`, message.topicId);
  const [oldest] = topics.keys();
  if (topics.size > keptTopics && oldest !== undefined) topics.delete(oldest);
}

/** A pressed button waits until it is answered; nobody waits for that. */
async function answerPress({ api, log, signal }: ListeningParts, callbackId: string): Promise<void> {
  try {
    await api.call("answerCallbackQuery", { callback_query_id: callbackId }, { signal });
  } catch (error) {
    if (!signal.aborted) log.debug(failureFields(readFailure(error)), "a pressed button could not be answered");
  }
}
