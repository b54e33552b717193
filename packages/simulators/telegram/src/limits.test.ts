import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { call, connect, onEnd, setClock, start } from "./testing/stage.ts";

describe("flood control", () => {
  it("lets one message a second through to a chat, edits included", async () => {
    const time = setClock();
    const simulator = await start({ ...time, flood: {} });
    const [ada, bea] = [simulator.createUser(), simulator.createUser()];
    for (const user of [ada, bea]) user.say(simulator.bot(), "hi");
    const { telegram } = connect(simulator);
    const sent = await telegram.sendMessage(ada.id, "one");
    await expect(telegram.editMessageText(ada.id, sent.message_id, undefined, "two")).rejects.toMatchObject({
      code: 429,
      description: "Too Many Requests: retry after 1",
      parameters: { retry_after: 1 },
    });
    await telegram.sendMessage(bea.id, "somebody else");
    time.advance(1_000);
    await telegram.editMessageText(ada.id, sent.message_id, undefined, "two");
    await telegram.sendChatAction(ada.id, "typing");
  });

  it("lets 20 messages a minute through to a group and 30 a second to all", async () => {
    const time = setClock();
    const simulator = await start({ ...time, flood: { perChat: false } });
    const ada = simulator.createUser();
    const group = simulator.createGroup({ members: [ada, simulator.bot()], isSettled: true });
    const send = (chat: number) => call(simulator, "sendMessage", { chat_id: chat, text: "x" });
    for (let count = 0; count < 20; count += 1) expect((await send(group.id)).ok).toBe(true);
    time.advance(15_500);
    expect(await send(group.id)).toMatchObject({ status: 429, parameters: { retry_after: 45 } });
    ada.say(simulator.bot(), "hi");
    for (let count = 0; count < 30; count += 1) expect((await send(ada.id)).ok).toBe(true);
    expect((await send(ada.id)).parameters).toEqual({ retry_after: 1 });
  });
});

describe("a fault", () => {
  it("hits the calls of one method", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "hi");
    const { telegram } = connect(simulator);
    simulator.fault("sendMessage", { type: "drop", when: "after" });
    simulator.fault("sendMessage", {
      type: "answer",
      answer: { status: 502, body: { ok: false, error_code: 502, description: "Bad Gateway" } },
    });
    await expect(telegram.sendMessage(ada.id, "one")).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(telegram.sendMessage(ada.id, "two")).rejects.toMatchObject({ code: 502 });
    await telegram.sendMessage(ada.id, "three");
    expect(
      ada
        .chatWith(simulator.bot())
        .messages()
        .map(({ text }) => text),
    ).toEqual(["hi", "one", "three"]);
    expect(simulator.requests("sendMessage").map(({ body }) => body)).toMatchObject([
      { text: "one" },
      { text: "two" },
      { text: "three" },
    ]);
  });

  it("hits one bot, a number of times, after a number of times, or not when it is taken back", async () => {
    const simulator = await start({ bots: [{ username: "one_bot" }, { username: "two_bot" }] });
    const [one, two] = [simulator.bot("one_bot"), simulator.bot("two_bot")];
    simulator.fault("getMe", { type: "answer", answer: { status: 500, body: {} } }, { bot: two, after: 1, times: 2 });
    const statuses = async (token: string) => {
      const all = [];
      for (let count = 0; count < 4; count += 1) all.push((await call(simulator, "getMe", {}, token)).status);
      return all;
    };
    expect(await statuses(one.token())).toEqual([200, 200, 200, 200]);
    expect(await statuses(two.token())).toEqual([200, 500, 500, 200]);
    simulator.fault("*", { type: "answer", answer: { status: 500, body: {} } })();
    expect(await statuses(one.token())).toEqual([200, 200, 200, 200]);
  });
});

describe("waiting", () => {
  it("ends with an error when nothing comes, or the simulator is closed", async () => {
    const time = setClock();
    const simulator = await start(time);
    const chat = simulator.createUser().chatWith(simulator.bot());
    const waiting = chat.nextMessage(undefined, { timeoutMs: 5_000 });
    time.advance(5_000);
    await expect(waiting).rejects.toThrow("No message of a bot in chat");
    const other = chat.nextEdit();
    await simulator.close();
    await expect(other).rejects.toThrow("The simulator was closed");
  });
});

describe("an odd payload", () => {
  const odd = fc.oneof(
    fc.constantFrom(
      null,
      true,
      "",
      " ",
      "[",
      "{}",
      "[]",
      -1,
      0,
      1.5,
      1e300,
      "NaN",
      "\ud800",
      "@",
      "attach://",
      "https://",
      "__proto__",
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const methods = [
    "sendMessage",
    "sendPhoto",
    "sendDocument",
    "sendMediaGroup",
    "sendLocation",
    "sendContact",
    "sendChatAction",
    "editMessageText",
    "editMessageCaption",
    "editMessageMedia",
    "editMessageReplyMarkup",
    "deleteMessage",
    "deleteMessages",
    "forwardMessage",
    "forwardMessages",
    "copyMessage",
    "setMessageReaction",
    "pinChatMessage",
    "unpinChatMessage",
    "answerCallbackQuery",
    "getFile",
    "getChat",
    "getChatMember",
    "getChatAdministrators",
    "leaveChat",
    "banChatMember",
    "unbanChatMember",
    "createForumTopic",
    "editForumTopic",
    "deleteForumTopic",
    "setMyCommands",
    "getMyCommands",
    "deleteMyCommands",
    "setWebhook",
    "deleteWebhook",
    "getWebhookInfo",
    "getUpdates",
    "getMe",
    "close",
  ];
  const names = [
    "chat_id",
    "from_chat_id",
    "user_id",
    "message_id",
    "message_ids",
    "message_thread_id",
    "text",
    "caption",
    "parse_mode",
    "entities",
    "reply_parameters",
    "reply_markup",
    "photo",
    "document",
    "media",
    "reaction",
    "commands",
    "scope",
    "language_code",
    "name",
    "url",
    "secret_token",
    "allowed_updates",
    "offset",
    "limit",
    "latitude",
    "longitude",
    "phone_number",
    "first_name",
    "action",
    "callback_query_id",
    "file_id",
    "quote",
    "icon_color",
    "max_connections",
  ];

  it("is refused or obeyed, and never breaks anything", async () => {
    const defects: unknown[] = [];
    const simulator = await start({
      onDefect: (error) => defects.push(error),
      fetch: () => Promise.reject(new Error("no network")),
    });
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "hi");
    const group = simulator.createSupergroup({
      isForum: true,
      members: [ada],
      admins: [simulator.bot()],
      isSettled: true,
    });
    ada.say(group, "hi");
    onEnd(() => expect(defects).toEqual([]));
    const target = fc.constantFrom(ada.id, group.id, String(ada.id), 12345);
    const body = fc.record(
      {
        ...Object.fromEntries(names.map((name) => [name, odd])),
        chat_id: fc.oneof({ weight: 5, arbitrary: target }, odd),
        message_id: fc.oneof(fc.constantFrom(1, 2), odd),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), body, async (method, parameters) => {
        const answer = await call(simulator, method, parameters);
        expect([200, 400, 403, 409]).toContain(answer.status);
        expect(answer.ok).toBe(answer.status === 200);
        if (!answer.ok) expect(answer.description).toMatch(/^(?:Bad Request|Forbidden|Conflict): \S/);
      }),
      { numRuns: 600 },
    );
    expect((await call(simulator, "getMe")).ok).toBe(true);
  });

  it("that is no JSON is refused as Telegram refuses", async () => {
    const simulator = await start();
    const response = await fetch(`${simulator.url}/bot${simulator.bot().token()}/getMe`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ ok: false, error_code: 400 });
  });
});
