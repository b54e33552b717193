import type { ProviderName } from "../spec.ts";
import { event } from "./wires.ts";

/** An answer that calls tools. */
export type CallsAnswer = {
  /** Said before the calls; none when empty. */
  readonly text: string;
  /** The arguments to the letter, cut or not; they are sent in pieces of three characters. */
  readonly calls: readonly { readonly name: string; readonly raw: string }[];
  /** The token limit ended the answer within the last call. */
  readonly isCut?: boolean;
  /** Said behind the calls; none unless it is given. */
  readonly after?: string;
};

/**
 * The same answer on each vendor's wire, as their documentation shows tool calls.
 * @see https://developers.openai.com/api/docs/guides/function-calling#streaming
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
export function callsWire(provider: ProviderName, answer: CallsAnswer): string {
  switch (provider) {
    case "openai":
      return responsesWire(answer);
    case "anthropic":
      return messagesWire(answer);
    case "openai-compatible":
      return chatWire(answer);
  }
}

function inPieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,3}/g) ?? [];
}

function responsesWire({ text, calls, isCut, after = "" }: CallsAnswer): string {
  const response = { id: "resp_1", object: "response", created_at: 1_790_000_000, model: "gpt-6-luna" };
  const message = (words: string, output_index: number): string => {
    const item = { id: `msg_${output_index}`, type: "message", role: "assistant", content: [] };
    if (words === "") return "";
    return (
      event({ type: "response.output_item.added", output_index, item }) +
      inPieces(words)
        .map((delta) =>
          event({ type: "response.output_text.delta", item_id: item.id, output_index, content_index: 0, delta }),
        )
        .join("") +
      event({ type: "response.output_item.done", output_index, item })
    );
  };
  const call = ({ name, raw }: CallsAnswer["calls"][number], index: number): string => {
    const output_index = index + 1;
    const item = { id: `fc_${index}`, type: "function_call", call_id: `call_${index}`, name, arguments: "" };
    const isHalf = isCut && index === calls.length - 1;
    return (
      event({ type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } }) +
      inPieces(raw)
        .map((delta) =>
          event({ type: "response.function_call_arguments.delta", item_id: item.id, output_index, delta }),
        )
        .join("") +
      event({
        type: "response.output_item.done",
        output_index,
        item: { ...item, arguments: raw, status: isHalf ? "incomplete" : "completed" },
      })
    );
  };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const ended = isCut
    ? {
        type: "response.incomplete",
        response: { ...response, usage, incomplete_details: { reason: "max_output_tokens" } },
      }
    : { type: "response.completed", response: { ...response, usage, incomplete_details: null } };
  return (
    event({ type: "response.created", response }) +
    message(text, 0) +
    calls.map(call).join("") +
    message(after, calls.length + 1) +
    event(ended)
  );
}

function messagesWire({ text, calls, isCut, after = "" }: CallsAnswer): string {
  const block = (index: number, start: object, deltas: readonly object[]): string =>
    event({ type: "content_block_start", index, content_block: start }) +
    deltas.map((delta) => event({ type: "content_block_delta", index, delta })).join("") +
    event({ type: "content_block_stop", index });
  const words = (said: string, index: number): string =>
    said === ""
      ? ""
      : block(
          index,
          { type: "text", text: "" },
          inPieces(said).map((piece) => ({ type: "text_delta", text: piece })),
        );
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-5-5",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
  return (
    event({ type: "message_start", message }) +
    words(text, 0) +
    calls
      .map(({ name, raw }, index) =>
        block(
          index + 1,
          { type: "tool_use", id: `toolu_${index}`, name, input: {} },
          inPieces(raw).map((partial_json) => ({ type: "input_json_delta", partial_json })),
        ),
      )
      .join("") +
    words(after, calls.length + 1) +
    event({
      type: "message_delta",
      delta: { stop_reason: isCut ? "max_tokens" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 5 },
    }) +
    event({ type: "message_stop" })
  );
}

function chatWire({ text, calls, isCut, after = "" }: CallsAnswer): string {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({
      id: "c1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const words = (said: string): string =>
    inPieces(said)
      .map((content) => chunk({ content }))
      .join("");
  return (
    chunk({ role: "assistant", content: "" }) +
    words(text) +
    calls
      .map(
        ({ name, raw }, index) =>
          chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] }) +
          inPieces(raw)
            .map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
            .join(""),
      )
      .join("") +
    words(after) +
    chunk({}, isCut ? "length" : "tool_calls") +
    "data: [DONE]\n\n"
  );
}
