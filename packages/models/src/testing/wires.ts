import type { ProviderName } from "../spec.ts";

/** One answer on the wire: its beginning (up to and with the first words) and the rest. */
export type WireAnswer = { readonly head: string; readonly tail: string };

/**
 * The same answer on each vendor's wire: "Hello" and ", you.", 1,000 tokens read of which 400 came from the cache, 50
 * written; `isCut`: the token limit ended it. Reduced from the vendors' documentation.
 * @see https://developers.openai.com/api/docs/guides/streaming-responses
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function wireAnswer(provider: ProviderName, isCut = false): WireAnswer {
  switch (provider) {
    case "openai":
      return responsesWire(isCut);
    case "anthropic":
      return messagesWire(isCut);
    case "openai-compatible":
      return chatWire(isCut);
  }
}

/** One server-sent event, named by its type where the vendor names it. */
export function event(data: Readonly<Record<string, unknown>>): string {
  const name = typeof data["type"] === "string" ? `event: ${data["type"]}\n` : "";
  return `${name}data: ${JSON.stringify(data)}\n\n`;
}

function responsesWire(isCut: boolean): WireAnswer {
  const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1_790_000_000,
    model: "gpt-6-luna",
    status: "in_progress",
  };
  const usage = {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
  };
  const delta = (text: string): string =>
    event({ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: text });
  const ended = isCut
    ? event({
        type: "response.incomplete",
        response: { ...response, usage, incomplete_details: { reason: "max_output_tokens" } },
      })
    : event({ type: "response.completed", response: { ...response, usage, incomplete_details: null } });
  return {
    head:
      event({ type: "response.created", response }) +
      event({ type: "response.output_item.added", output_index: 0, item }) +
      delta("Hello"),
    tail: delta(", you.") + event({ type: "response.output_item.done", output_index: 0, item }) + ended,
  };
}

function messagesWire(isCut: boolean): WireAnswer {
  const usage = { input_tokens: 600, cache_read_input_tokens: 400, cache_creation_input_tokens: 0, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-5-5",
    content: [],
    stop_reason: null,
    usage,
  };
  const delta = (text: string): string =>
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  return {
    head:
      event({ type: "message_start", message }) +
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
      event({ type: "ping" }) +
      delta("Hello"),
    tail:
      delta(", you.") +
      event({ type: "content_block_stop", index: 0 }) +
      event({
        type: "message_delta",
        delta: { stop_reason: isCut ? "max_tokens" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 50 },
      }) +
      event({ type: "message_stop" }),
  };
}

function chatWire(isCut: boolean): WireAnswer {
  const chunk = (delta: Readonly<Record<string, unknown>>, finishReason: string | null = null): string =>
    event({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 50,
    total_tokens: 1_050,
    prompt_tokens_details: { cached_tokens: 400 },
  };
  return {
    head: chunk({ role: "assistant", content: "Hello" }),
    tail:
      chunk({ content: ", you." }) +
      chunk({}, isCut ? "length" : "stop") +
      event({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage }) +
      "data: [DONE]\n\n",
  };
}

/** These words as a whole answer on a vendor's wire. */
export function wireSaying(provider: ProviderName, text: string): string {
  const { head, tail } = wireAnswer(provider);
  const json = JSON.stringify(text).slice(1, -1);
  return (head + tail).replace('"Hello"', `"${json}"`).replace('", you."', '""');
}
