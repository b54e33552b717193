import { message } from "telegraf/filters";
import { describe, expect, it } from "vitest";
import { call, connect, launch, onEnd, setClock, start, until } from "./testing/stage.ts";

describe("a bot that polls", () => {
  it("hears a private message and answers", async () => {
    const simulator = await start();
    const ada = simulator.createUser({ firstName: "Ada", username: "ada_l", languageCode: "en" });
    const bot = connect(simulator);
    bot.on(message("text"), (context) => context.reply(`You said ${context.message.text}, ${context.from.first_name}`));
    await launch(simulator, bot);

    const said = ada.say(simulator.bot(), "hello");
    const answer = await ada.chatWith(simulator.bot()).nextMessage();
    expect(answer).toMatchObject({
      text: "You said hello, Ada",
      from: { is_bot: true },
      chat: { id: ada.id, type: "private" },
    });
    expect(answer.message_id).toBe(said.message_id + 1);
  });

  it("is known to telegraf's commands, hears, replies and edits", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const bot = connect(simulator);
    const seen: string[] = [];
    bot.start((context) => context.reply(`Welcome ${context.payload}`));
    bot.command("echo", (context) =>
      context.reply(context.payload, { reply_parameters: { message_id: context.msgId } }),
    );
    bot.on("edited_message", (context) => {
      seen.push("text" in context.editedMessage ? context.editedMessage.text : "");
    });
    await launch(simulator, bot);
    const chat = ada.chatWith(simulator.bot());
    ada.say(chat, "/start deep");
    expect((await chat.nextMessage()).text).toBe("Welcome deep");
    const asked = ada.say(chat, "/echo one two");
    expect(asked.entities).toEqual([{ type: "bot_command", offset: 0, length: 5 }]);
    expect(await chat.nextMessage()).toMatchObject({
      text: "one two",
      reply_to_message: { message_id: asked.message_id, text: "/echo one two" },
    });
    ada.edit(asked, "changed");
    await until(() => seen.length > 0);
    expect(seen).toEqual(["changed"]);
  });

  it("gets again what it has not acknowledged", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "one");
    ada.say(simulator.bot(), "two");
    const first = await call(simulator, "getUpdates", { limit: 1 });
    const again = await call(simulator, "getUpdates");
    expect(again.result).toMatchObject([{ message: { text: "one" } }, { message: { text: "two" } }]);
    expect(first.result).toEqual([(again.result as unknown[])[0]]);
    const [{ update_id: id }] = first.result as [{ update_id: number }];
    expect((await call(simulator, "getUpdates", { offset: id + 1 })).result).toMatchObject([{ update_id: id + 1 }]);
    expect((await call(simulator, "getUpdates")).result).toMatchObject([{ update_id: id + 1 }]);
    ada.say(simulator.bot(), "three");
    expect((await call(simulator, "getUpdates", { offset: -1 })).result).toMatchObject([
      { message: { text: "three" } },
    ]);
    expect(simulator.bot().updates.pending()).toBe(1);
  });

  it("waits for as long as it says, and no longer", async () => {
    const time = setClock();
    const simulator = await start(time);
    const waiting = call(simulator, "getUpdates", { timeout: 30 });
    await until(() => time.count() === 1);
    time.advance(30_000);
    expect((await waiting).result).toEqual([]);
    const longer = call(simulator, "getUpdates", { timeout: 30 });
    await until(() => time.count() === 1);
    simulator.createUser().say(simulator.bot(), "now");
    expect((await longer).result).toMatchObject([{ message: { text: "now" } }]);
  });

  it("loses its place to a second poller", async () => {
    const simulator = await start();
    const first = call(simulator, "getUpdates", { timeout: 50 });
    await until(() => simulator.requests("getUpdates").length === 1);
    const second = call(simulator, "getUpdates", { timeout: 50 });
    expect(await first).toMatchObject({
      status: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    simulator.createUser().say(simulator.bot(), "hi");
    expect((await second).result).toHaveLength(1);
  });

  it("loses nothing when the connection breaks while it waits", async () => {
    const simulator = await start();
    const broken = call(simulator, "getUpdates", { timeout: 50 }).catch((error: unknown) => error);
    await until(() => simulator.requests("getUpdates").length === 1);
    simulator.cut();
    expect(await broken).toBeInstanceOf(Error);
    simulator.createUser().say(simulator.bot(), "still here");
    expect((await call(simulator, "getUpdates")).result).toMatchObject([{ message: { text: "still here" } }]);
  });

  it("gets reactions and members' changes only when it asks for them", async () => {
    const simulator = await start();
    const [ada, bea] = [simulator.createUser(), simulator.createUser()];
    const group = simulator.createSupergroup({ members: [ada], admins: [simulator.bot()], isSettled: true });
    const said = ada.say(group, "first");
    ada.react(said, "👍");
    bea.join(group);
    const kinds = async () =>
      ((await call(simulator, "getUpdates")).result as object[]).map((update) => Object.keys(update)[1]);
    expect(await kinds()).toEqual(["message", "message"]);
    await call(simulator, "getUpdates", { offset: -1, allowed_updates: ["message_reaction", "chat_member"] });
    ada.react(said, "❤️");
    bea.leave(group);
    ada.say(group, "not asked for");
    await call(simulator, "getUpdates", { allowed_updates: [] });
    expect(await kinds()).toEqual(["message", "message_reaction", "chat_member"]);
  });

  it("finds nothing older than a day", async () => {
    const time = setClock();
    const simulator = await start(time);
    const ada = simulator.createUser();
    ada.say(simulator.bot(), "yesterday");
    time.advance(23 * 3_600_000);
    ada.say(simulator.bot(), "today");
    time.advance(3_600_001);
    expect((await call(simulator, "getUpdates")).result).toMatchObject([{ message: { text: "today" } }]);
  });

  it("can be given updates twice, late, in another order, and once more", async () => {
    const simulator = await start();
    const ada = simulator.createUser();
    const { updates } = simulator.bot();
    const poll = async (offset = 0) =>
      (await call(simulator, "getUpdates", { offset })).result as { update_id: number; message: { text: string } }[];
    const texts = async () => (await poll()).map((update) => update.message.text);
    updates.duplicateNext();
    ada.say(simulator.bot(), "a");
    expect(await texts()).toEqual(["a", "a"]);
    updates.reorderNext(2);
    ada.say(simulator.bot(), "b");
    expect(await texts()).toEqual(["a", "a"]);
    ada.say(simulator.bot(), "c");
    expect(await texts()).toEqual(["a", "a", "c", "b"]);
    updates.hold();
    expect(await texts()).toEqual([]);
    updates.release();
    const last = Math.max(...(await poll()).map((update) => update.update_id));
    expect(await poll(last + 1)).toEqual([]);
    updates.again(last);
    expect((await poll(last + 1)).map((update) => update.message.text)).toEqual(["c"]);
    expect(await poll(last + 1)).toEqual([]);
  });

  it("is told when its token is void", async () => {
    const simulator = await start();
    const old = simulator.bot().token();
    const fresh = simulator.bot().revokeToken();
    expect(await call(simulator, "getMe", {}, old)).toMatchObject({ status: 401, description: "Unauthorized" });
    expect(await call(simulator, "getMe", {}, fresh)).toMatchObject({ status: 200, result: { is_bot: true } });
    expect(await call(simulator, "getMe", {}, "nonsense")).toMatchObject({ status: 404, description: "Not Found" });
    expect(await call(simulator, "makeTea")).toMatchObject({ status: 404, description: "Not Found: method not found" });
    expect((await fetch(`${simulator.url}/`)).status).toBe(404);
    const bot = connect(simulator, old);
    onEnd(() => simulator.cut());
    await expect(bot.launch()).rejects.toMatchObject({ code: 401 });
  });
});
