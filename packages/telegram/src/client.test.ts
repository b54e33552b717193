import { clientContract } from "@troupe/core/testing/contracts";
import type { TelegramEntity, TelegramMessage } from "@troupe/simulator-telegram";
import { clientOf, hastyClock, openTelegram } from "./testing/stage.ts";

/** The marks a reader sees, as the writer wrote them. */
const marks: Readonly<Record<string, string>> = { italic: "*", code: "`" };

function asWritten({ text = "", entities = [] }: TelegramMessage): string {
  const seams = entities.flatMap(({ type, offset, length }: TelegramEntity) => {
    const mark = marks[type] ?? "";
    return [
      { at: offset, mark },
      { at: offset + length, mark },
    ];
  });
  return seams.sort((a, b) => b.at - a.at).reduce((all, { at, mark }) => all.slice(0, at) + mark + all.slice(at), text);
}

clientContract(
  "the Telegram client",
  async () => {
    const simulator = await openTelegram();
    const bot = simulator.bot();
    const user = simulator.createUser({ firstName: "Bo" });
    const client = clientOf(simulator, { parts: { clock: hastyClock } });
    const isSending = (path: string): boolean => /\/(send|edit)\w+$/.test(path);
    const payloads: readonly unknown[] = [null, 7, "text", {}, { chat: null }, { message_id: {}, chat: { id: "x" } }];
    const odd = (kind: string, payload: unknown) =>
      simulator.faults.add({
        match: (request) => request.path.endsWith("/getUpdates"),
        fault: {
          type: "answer",
          answer: { status: 200, body: { ok: true, result: [{ update_id: 1, [kind]: payload }, payload] } },
        },
      });
    user.say(bot, "/start");
    const [hello] = bot.updates.past();
    const begun = bot.updates.past().length;
    // The greeting that opens a private chat was heard before this client was there.
    await fetch(`${simulator.url}/bot${bot.token()}/getUpdates?offset=${(hello?.update_id ?? 0) + 1}`);
    return {
      client,
      target: String(user.id),
      say: (text) => void user.say(bot, text),
      async sayAgain() {
        while (bot.updates.pending() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
        bot.updates.again(bot.updates.past().at(-1)?.update_id ?? 0);
      },
      acknowledged: () => bot.updates.past().length - begun - bot.updates.pending(),
      shown: () =>
        user
          .chatWith(bot)
          .messages()
          .filter(({ from }) => from?.id === bot.id)
          .map(asWritten),
      failNext(failure) {
        const match = (request: { readonly path: string }) => isSending(request.path);
        if (failure === "unknown") simulator.faults.add({ match, fault: { type: "drop", when: "after" } });
        else {
          const [status, description] =
            failure === "rejected"
              ? [403, "Forbidden: bot was blocked by the user"]
              : [429, "Too Many Requests: retry after 1"];
          const parameters = failure === "not-sent" ? { parameters: { retry_after: 1 } } : {};
          const body = { ok: false, error_code: status, description, ...parameters };
          simulator.faults.add({ match, fault: { type: "answer", answer: { status: Number(status), body } } });
        }
      },
      oddities: [
        ...["message", "edited_message", "callback_query", "message_reaction", "my_chat_member", "unheard_of"].flatMap(
          (kind) => payloads.map((payload) => () => void odd(kind, payload)),
        ),
        () =>
          void simulator.faults.add({
            match: "POST /bot*/getUpdates",
            fault: { type: "answer", answer: { status: 502, body: "<html>Bad Gateway</html>" } },
          }),
        () => void user.say(bot, { text: "  ​ ", sticker: {} }),
      ],
      close: async () => undefined,
    };
  },
  {
    guarantee: "none",
    edits: true,
    sayAgain: true,
    acknowledged: true,
    oddities: true,
    failures: ["not-sent", "unknown", "rejected"],
  },
);
