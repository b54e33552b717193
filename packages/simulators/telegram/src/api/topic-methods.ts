import { badRequest } from "../api-error.ts";
import { closeTopic, createTopic } from "../world/chats.ts";
import { deleteMessage, postMessage } from "../world/post.ts";
import type { Chat, Topic } from "../world/world.ts";
import type { Call, Method } from "./call.ts";
import { checkRight, namedChat } from "./target.ts";

const colors = [7322096, 16766590, 13338331, 9367192, 16749490, 16478047];

function forum(call: Call, right: string): Chat {
  const chat = namedChat(call);
  if (!chat.isForum) throw badRequest("the chat is not a forum");
  checkRight(call, chat, {
    right,
    refusal:
      right === "can_delete_messages" ? "not enough rights to delete a topic" : "not enough rights to manage topics",
  });
  return chat;
}

function topicOf(call: Call, chat: Chat): Topic {
  const id = call.parameters.integer("message_thread_id");
  const topic = id === null || id === 1 ? undefined : chat.topics.get(id);
  if (!topic) throw badRequest("message thread not found");
  return topic;
}

function topicName(call: Call): string {
  const name = call.parameters.text("name")?.trim() ?? "";
  if (name === "") throw badRequest("topic name is empty");
  if (name.length > 128) throw badRequest("topic name is too long");
  return name;
}

/** @see https://core.telegram.org/bots/api#createforumtopic */
export const createForumTopic: Method = (call) => {
  const { world, bot, parameters } = call;
  const name = topicName(call);
  const chat = namedChat(call);
  if (!chat.isForum) throw badRequest("the chat is not a forum");
  checkRight(call, chat, { right: "can_manage_topics", refusal: "not enough rights to create a topic" });
  const stated = parameters.integer("icon_color");
  if (stated !== null && !colors.includes(stated)) throw badRequest("invalid forum topic icon color specified");
  const iconColor = stated ?? 7322096;
  const id = createTopic(world, { chat, by: bot.user, name, iconColor });
  return { message_thread_id: id, name, icon_color: iconColor };
};

/** @see https://core.telegram.org/bots/api#editforumtopic */
export const editForumTopic: Method = (call) => {
  const chat = forum(call, "can_manage_topics");
  const topic = topicOf(call, chat);
  const name = call.parameters.text("name");
  if (name === null || name === topic.name) throw badRequest("TOPIC_NOT_MODIFIED");
  topic.name = topicName(call);
  postMessage(call.world, {
    chat,
    from: call.bot.user,
    topicId: topic.id,
    content: { forum_topic_edited: { name: topic.name } },
  });
  return true;
};

/** @see https://core.telegram.org/bots/api#closeforumtopic and reopenForumTopic */
export function setTopicClosed(isClosed: boolean): Method {
  return (call) => {
    const chat = forum(call, "can_manage_topics");
    const topic = topicOf(call, chat);
    if (topic.isClosed === isClosed) throw badRequest("TOPIC_NOT_MODIFIED");
    closeTopic(call.world, { chat, by: call.bot.user, id: topic.id, isClosed });
    return true;
  };
}

/** @see https://core.telegram.org/bots/api#deleteforumtopic */
export const deleteForumTopic: Method = (call) => {
  const chat = forum(call, "can_delete_messages");
  const topic = topicOf(call, chat);
  chat.topics.delete(topic.id);
  for (const message of chat.messages) {
    if (message.isInTopic && message.threadId === topic.id && !message.isDeleted)
      deleteMessage(call.world, message, null);
  }
  return true;
};
