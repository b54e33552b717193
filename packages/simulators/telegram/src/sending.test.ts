import { Input, Markup } from "telegraf";
import { describe, expect, it } from "vitest";
import { call, connect, setClock, start } from "./testing/stage.ts";

const tiny = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function met() {
  const simulator = await start();
  const ada = simulator.createUser({ firstName: "Ada" });
  const chat = ada.chatWith(simulator.bot());
  const first = ada.say(chat, "hi");
  const send = (method: string, parameters: object = {}) => call(simulator, method, { chat_id: ada.id, ...parameters });
  return { simulator, ada, chat, first, send, telegram: connect(simulator).telegram };
}

describe("what a bot sends", () => {
  it("is read as HTML and MarkdownV2, and refused with Telegram's words", async () => {
    const { ada, send, telegram } = await met();
    expect(await telegram.sendMessage(ada.id, "<b>bold</b> &amp; <i>more</i>", { parse_mode: "HTML" })).toMatchObject({
      text: "bold & more",
      entities: [
        { type: "bold", offset: 0, length: 4 },
        { type: "italic", offset: 7, length: 4 },
      ],
    });
    const mention = await telegram.sendMessage(ada.id, `[you](tg://user?id=${ada.id})`, { parse_mode: "MarkdownV2" });
    expect(mention.entities).toMatchObject([{ type: "text_mention", user: { id: ada.id, first_name: "Ada" } }]);
    await expect(telegram.sendMessage(ada.id, "1.0", { parse_mode: "MarkdownV2" })).rejects.toMatchObject({
      code: 400,
      description:
        "Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
    });
    expect((await send("sendMessage", { text: "<b>é", parse_mode: "HTML" })).description).toBe(
      "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    );
  });

  it("has 4,096 characters at most after the markup was read, a caption 1,024, and never none", async () => {
    const { send } = await met();
    const refused = async (parameters: object) => (await send("sendMessage", parameters)).description;
    expect(await refused({ text: `<b>${"x".repeat(4096)}</b>`, parse_mode: "HTML" })).toBeUndefined();
    expect(await refused({ text: "x".repeat(4097) })).toBe("Bad Request: message is too long");
    expect(await refused({ text: "😀".repeat(2049) })).toBe("Bad Request: message is too long");
    expect(await refused({ text: " \n " })).toBe("Bad Request: message text is empty");
    expect(await refused({ text: "<b></b>", parse_mode: "HTML" })).toBe("Bad Request: message text is empty");
    expect(await refused({})).toBe("Bad Request: message text is empty");
    expect((await send("sendDocument", { document: "x", caption: "x".repeat(1025) })).description).toBe(
      "Bad Request: message caption is too long",
    );
  });

  it("answers a message, quotes it, or is refused when it is gone", async () => {
    const { ada, first, send, chat } = await met();
    expect((await send("sendMessage", { text: "a", reply_parameters: { message_id: 99 } })).description).toBe(
      "Bad Request: message to be replied not found",
    );
    const alone = { message_id: 99, allow_sending_without_reply: true };
    expect((await send("sendMessage", { text: "a", reply_parameters: alone })).result).not.toHaveProperty(
      "reply_to_message",
    );
    const quoting = { message_id: first.message_id, quote: "<b>i</b>", quote_parse_mode: "HTML" };
    expect((await send("sendMessage", { text: "b", reply_parameters: quoting })).result).toMatchObject({
      reply_to_message: { text: "hi" },
      quote: { text: "i", position: 1, is_manual: true, entities: [{ type: "bold", offset: 0, length: 1 }] },
    });
    expect(
      (await send("sendMessage", { text: "b", reply_parameters: { message_id: first.message_id, quote: "no" } }))
        .description,
    ).toBe("Bad Request: QUOTE_TEXT_INVALID");
    expect(
      (await send("sendMessage", { text: "old way", reply_to_message_id: first.message_id })).result,
    ).toMatchObject({
      reply_to_message: { message_id: first.message_id },
    });
    const answered = chat.messages().at(-1);
    if (!answered) throw new Error("nothing was said");
    expect(ada.say(chat, { text: "yes", replyTo: answered, quote: "way" })).toMatchObject({
      reply_to_message: { text: "old way" },
      quote: { text: "way", position: 4 },
    });
  });

  it("can be edited, but not to what it is, and only by who sent it", async () => {
    const { ada, first, chat, send, telegram } = await met();
    const sent = await telegram.sendMessage(ada.id, "one", Markup.inlineKeyboard([Markup.button.callback("Go", "go")]));
    const keyboard = { inline_keyboard: [[{ text: "Go", callback_data: "go" }]] };
    await telegram.editMessageText(ada.id, sent.message_id, undefined, "<b>two</b>", {
      parse_mode: "HTML",
      reply_markup: keyboard,
    });
    expect(await chat.nextEdit()).toMatchObject({ text: "two", edit_date: expect.any(Number), reply_markup: keyboard });
    const edit = async (parameters: object) =>
      (await send("editMessageText", { message_id: sent.message_id, text: "two", parse_mode: "HTML", ...parameters }))
        .description;
    expect(await edit({ text: "<b>two</b>", reply_markup: keyboard })).toMatch(
      /^Bad Request: message is not modified: specified new/,
    );
    expect(await edit({ text: "<b>two</b>" })).toBeUndefined();
    expect(await edit({ message_id: 999 })).toBe("Bad Request: message to edit not found");
    expect(await edit({ message_id: first.message_id })).toBe("Bad Request: message can't be edited");
    expect(await edit({ message_id: undefined })).toBe("Bad Request: message identifier is not specified");
    const photo = await telegram.sendPhoto(ada.id, Input.fromBuffer(tiny));
    expect(await edit({ message_id: photo.message_id })).toBe("Bad Request: there is no text in the message to edit");
    await telegram.editMessageCaption(ada.id, photo.message_id, undefined, "seen");
    await telegram.editMessageReplyMarkup(ada.id, photo.message_id, undefined, keyboard);
    expect(chat.messages().at(-1)).toMatchObject({ caption: "seen", reply_markup: keyboard });
  });

  it("can be deleted, like what it was sent", async () => {
    const { ada, first, chat, send, telegram } = await met();
    const sent = await telegram.sendMessage(ada.id, "one");
    await telegram.deleteMessage(ada.id, sent.message_id);
    expect((await chat.nextDeletion()).text).toBe("one");
    expect((await send("deleteMessage", { message_id: sent.message_id })).description).toBe(
      "Bad Request: message to delete not found",
    );
    expect((await send("editMessageText", { message_id: sent.message_id, text: "x" })).description).toBe(
      "Bad Request: message to edit not found",
    );
    expect((await send("deleteMessages", { message_ids: [first.message_id, 12345] })).result).toBe(true);
    expect(chat.messages()).toEqual([]);
  });

  it("can be a file, sent up and had again", async () => {
    const { ada, simulator, telegram } = await met();
    const photo = await telegram.sendPhoto(ada.id, Input.fromBuffer(tiny, "dot.png"), {
      caption: "*dot*",
      parse_mode: "MarkdownV2",
    });
    expect(photo).toMatchObject({
      caption: "dot",
      caption_entities: [{ type: "bold" }],
      photo: [{ width: 1, height: 1 }],
    });
    const [size] = photo.photo;
    const again = await telegram.sendPhoto(ada.id, size?.file_id ?? "");
    expect(again.photo).toEqual(photo.photo);
    const document = await telegram.sendDocument(ada.id, Input.fromBuffer(Buffer.from("text"), "note.txt"));
    expect(document.document).toMatchObject({ file_name: "note.txt", file_size: 4 });
    const link = await telegram.getFileLink(document.document.file_id);
    expect(await (await fetch(link)).text()).toBe("text");
    expect((await fetch(`${simulator.url}/file/bot${simulator.bot().token()}/documents/none`)).status).toBe(404);
    expect(
      (await telegram.sendVoice(ada.id, Input.fromBuffer(Buffer.from("ogg")), { duration: 3 })).voice,
    ).toMatchObject({ duration: 3 });
    expect(
      (await telegram.sendAudio(ada.id, Input.fromBuffer(Buffer.from("mp3")), { title: "Song" })).audio,
    ).toMatchObject({ title: "Song" });
    expect((await telegram.sendSticker(ada.id, Input.fromBuffer(tiny))).sticker).toMatchObject({ type: "regular" });
    await expect(telegram.sendPhoto(ada.id, document.document.file_id)).rejects.toMatchObject({
      description: "Bad Request: can't use file of type Document as Photo",
    });
    await expect(telegram.sendPhoto(ada.id, Input.fromBuffer(Buffer.from("no picture")))).rejects.toMatchObject({
      description: "Bad Request: IMAGE_PROCESS_FAILED",
    });
  });

  it("can be an album", async () => {
    const { ada, telegram } = await met();
    const album = await telegram.sendMediaGroup(ada.id, [
      { type: "photo", media: Input.fromBuffer(tiny), caption: "first" },
      { type: "photo", media: Input.fromBuffer(tiny) },
    ]);
    expect(album).toHaveLength(2);
    expect(new Set(album.map((one) => ("media_group_id" in one ? one.media_group_id : null))).size).toBe(1);
    expect(album[0]).toMatchObject({ caption: "first" });
  });

  it("can be a file at an address, where there is one", async () => {
    const asked: string[] = [];
    const simulator = await start({
      async fetch(address) {
        asked.push(String(address));
        return String(address).endsWith("dot.png")
          ? new Response(tiny, { headers: { "content-type": "image/png" } })
          : new Response("", { status: 404 });
      },
    });
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "hi");
    const photo = (name: string) =>
      call(simulator, "sendPhoto", { chat_id: ada.id, photo: `https://files.example.com/${name}` });
    expect(await photo("dot.png")).toMatchObject({ ok: true, result: { photo: [{ width: 1 }] } });
    expect((await photo("gone.png")).description).toBe("Bad Request: failed to get HTTP URL content");
    expect(asked).toHaveLength(2);
  });

  it("can be a place, a contact, a copy, a forward", async () => {
    const { ada, first, telegram } = await met();
    expect((await telegram.sendLocation(ada.id, 52.5, 13.4)).location).toEqual({ latitude: 52.5, longitude: 13.4 });
    expect((await telegram.sendContact(ada.id, "+1555", "Bea")).contact).toEqual({
      phone_number: "+1555",
      first_name: "Bea",
    });
    const forwarded = await telegram.forwardMessage(ada.id, ada.id, first.message_id);
    expect(forwarded).toMatchObject({
      text: "hi",
      forward_origin: { type: "user", sender_user: { first_name: "Ada" } },
    });
    const copy = await telegram.copyMessage(ada.id, ada.id, first.message_id);
    expect(copy).toEqual({ message_id: forwarded.message_id + 1 });
    await expect(telegram.forwardMessage(ada.id, ada.id, 777)).rejects.toMatchObject({
      description: "Bad Request: message to forward not found",
    });
  });

  it("can be a form, urlencoded or with parts, or a query", async () => {
    const { ada, simulator } = await met();
    const url = `${simulator.url}/bot${simulator.bot().token()}`;
    const markup = JSON.stringify({ inline_keyboard: [[{ text: "Go", callback_data: "go" }]] });
    const body = new URLSearchParams({ chat_id: String(ada.id), text: "urlencoded", reply_markup: markup });
    expect(await (await fetch(`${url}/sendMessage`, { method: "POST", body })).json()).toMatchObject({
      result: { text: "urlencoded", reply_markup: { inline_keyboard: [[{ text: "Go" }]] } },
    });
    const form = new FormData();
    form.set("chat_id", String(ada.id));
    form.set("document", "attach://note");
    form.set("note", new File(["text"], "note.md"));
    expect(await (await fetch(`${url}/SENDDOCUMENT`, { method: "POST", body: form })).json()).toMatchObject({
      result: { document: { file_name: "note.md" } },
    });
    expect(await (await fetch(`${url}/sendMessage?chat_id=${ada.id}&text=query`)).json()).toMatchObject({
      result: { text: "query" },
    });
  });

  it("has only keyboards that Telegram takes", async () => {
    const { send } = await met();
    const refused = async (button: object) =>
      (await send("sendMessage", { text: "a", reply_markup: { inline_keyboard: [[button]] } })).description;
    expect(await refused({ text: "x", callback_data: "é".repeat(33) })).toBe("Bad Request: BUTTON_DATA_INVALID");
    expect(await refused({ text: "x" })).toContain("Text buttons are unallowed in the inline keyboard");
    expect(await refused({ text: "x", url: "nowhere" })).toContain("is invalid: Wrong HTTP URL");
    expect((await send("sendMessage", { text: "a", reply_markup: "x" })).description).toBe(
      "Bad Request: can't parse reply markup JSON object",
    );
  });

  it("is an action or a reaction that there is", async () => {
    const { ada, chat, first, send, telegram } = await met();
    await telegram.sendChatAction(ada.id, "typing");
    expect(await chat.nextAction()).toEqual({ action: "typing", threadId: null });
    expect((await send("sendChatAction", { action: "sing" })).description).toBe(
      "Bad Request: wrong parameter action in request",
    );
    await telegram.setMessageReaction(ada.id, first.message_id, [{ type: "emoji", emoji: "👍" }]);
    expect(await chat.nextReaction()).toMatchObject({ message: { text: "hi" }, reactions: [{ emoji: "👍" }] });
    const react = async (...emojis: string[]) =>
      (
        await send("setMessageReaction", {
          message_id: first.message_id,
          reaction: emojis.map((emoji) => ({ type: "emoji", emoji })),
        })
      ).description;
    expect(await react("🧃")).toBe("Bad Request: REACTION_INVALID");
    expect(await react("👍", "❤")).toBe("Bad Request: REACTIONS_TOO_MANY");
    expect(await react()).toBeUndefined();
    expect(chat.reactions(first)).toEqual([]);
  });

  it("can be commands, for everybody, a chat, a language", async () => {
    const { ada, simulator, send, telegram } = await met();
    const commands = [{ command: "help", description: "Helps" }];
    await telegram.setMyCommands(commands);
    await telegram.setMyCommands([{ command: "ada", description: "For Ada" }], {
      scope: { type: "chat", chat_id: ada.id },
      language_code: "en",
    });
    expect(await telegram.getMyCommands()).toEqual(commands);
    expect(simulator.bot().commands()).toEqual(commands);
    expect(simulator.bot().commands(`chat/${ada.id}`, "en")).toHaveLength(1);
    await telegram.deleteMyCommands();
    expect(await telegram.getMyCommands()).toEqual([]);
    const set = async (command: unknown) => (await send("setMyCommands", { commands: [command] })).description;
    expect(await set({ command: "Nope!", description: "x" })).toBe("Bad Request: BOT_COMMAND_INVALID");
    expect(await set({ command: "x", description: "" })).toBe("Bad Request: BOT_COMMAND_DESCRIPTION_INVALID");
  });
});

describe("a pressed button", () => {
  it("is answered once, and not for ever", async () => {
    const time = setClock();
    const simulator = await start(time);
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "hi");
    const { telegram } = connect(simulator);
    const sent = await telegram.sendMessage(ada.id, "?", Markup.inlineKeyboard([Markup.button.callback("Yes", "y:1")]));
    const message = await ada.chatWith(simulator.bot()).nextMessage();
    const pressed = ada.press(message, "Yes");
    const updates = (await call(simulator, "getUpdates", { offset: -1 })).result;
    expect(updates).toMatchObject([
      {
        callback_query: {
          id: pressed.queryId,
          data: "y:1",
          from: { id: ada.id },
          message: { message_id: sent.message_id },
        },
      },
    ]);
    await telegram.answerCbQuery(pressed.queryId, "Done", { show_alert: true });
    expect(await pressed.answer).toEqual({ text: "Done", showAlert: true });
    const old = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    await expect(telegram.answerCbQuery(pressed.queryId)).rejects.toMatchObject({ description: old });
    const late = ada.press(message, "y:1");
    time.advance(60_001);
    expect(await late.answer).toBeNull();
    await expect(telegram.answerCbQuery(late.queryId)).rejects.toMatchObject({ description: old });
    expect(() => ada.press(message, "No")).toThrow('There is no button "No"');
  });
});

describe("many messages", () => {
  it("are kept up to a number, the newest", async () => {
    const simulator = await start({ keptMessages: 10 });
    const ada = simulator.createUser();
    const chat = ada.chatWith(simulator.bot());
    const first = ada.say(chat, "first");
    for (let count = 0; count < 11; count += 1)
      ada.say(chat, { text: `${count}`, ...(count === 0 ? { replyTo: first } : {}) });
    expect(chat.messages()).toHaveLength(10);
    expect(() => chat.message(first.message_id)).toThrow("There is no message 1");
    expect(
      (
        await call(simulator, "sendMessage", {
          chat_id: ada.id,
          text: "?",
          reply_parameters: { message_id: first.message_id },
        })
      ).description,
    ).toBe("Bad Request: message to be replied not found");
  });
});

describe("what a user sends", () => {
  it("can be edited, its caption too, and taken away", async () => {
    const { ada, chat, simulator } = await met();
    const photo = ada.say(chat, { photo: {}, caption: "one" });
    ada.edit(photo, "two");
    expect(ada.edit(photo, "three @somebody")).toMatchObject({
      caption: "three @somebody",
      caption_entities: [{ type: "mention" }],
      photo: [{ width: 1 }],
    });
    const updates = (await call(simulator, "getUpdates", { offset: -1 })).result;
    expect(updates).toMatchObject([{ edited_message: { caption: "three @somebody", edit_date: expect.any(Number) } }]);
    ada.remove(photo);
    expect(() => ada.edit(photo, "four")).toThrow("was deleted");
    expect(() => ada.say(chat, "x".repeat(4097))).toThrow("too long");
    expect(() => ada.say(chat, " ")).toThrow("empty");
  });
});
