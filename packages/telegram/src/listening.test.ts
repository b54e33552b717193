import type { Inbound } from "@troupe/core";
import { messageMemoryId, roomIdOf } from "@troupe/core/memory";
import type { Said } from "@troupe/simulator-telegram";
import { describe, expect, it, vi } from "vitest";
import { command, connect } from "./testing/stage.ts";

const until = (check: () => void) => vi.waitFor(check, { timeout: 5_000, interval: 2 });
const contentOf = ({ memory }: Inbound) => memory.content;

/** A group in which the agent is, with somebody to talk. */
async function inGroup(more: Parameters<typeof connect>[0] = {}) {
  const stage = await connect(more);
  const { simulator } = stage;
  const bo = simulator.createUser({ firstName: "Bo", lastName: "Berg", username: "bo_berg" });
  const cy = simulator.createUser({ firstName: "Cy" });
  const group = simulator.createSupergroup({ title: "Makers", members: [bo, cy, simulator.bot()], isSettled: true });
  return { ...stage, bo, cy, group };
}

describe("hearing on Telegram", () => {
  it("tells a private chat from a group, and whose room is whose", async () => {
    const { simulator, bo, group, nth } = await inGroup();
    bo.say(simulator.bot(), "hello");
    bo.say(group, "hello all");
    const [direct, shared] = [await nth(0), await nth(1)];
    const account = String(simulator.bot().id);
    expect(direct.room).toMatchObject({ channelType: "dm", platformId: String(bo.id), name: "Bo Berg", account });
    expect(shared.room).toMatchObject({ channelType: "group", platformId: String(group.id), name: "Makers" });
    expect(shared.world).toMatchObject({ platformId: String(group.id), name: "Makers" });
    expect(shared.entity).toMatchObject({ id: direct.entity.id, name: "Bo Berg", data: { username: "bo_berg" } });
    expect(shared.memory.metadata).toMatchObject({ chatId: group.id, fromId: bo.id, username: "bo_berg" });
    expect(contentOf(shared).mentionContext).toEqual({ mentionsAgent: false, repliesToAgent: false });
  });

  it("hears whom a message is meant for", async () => {
    const { simulator, bo, cy, group, nth, deliver } = await inGroup();
    await deliver(group.id, "I am Ada.");
    const own = await group.nextMessage();
    const said: readonly Said[] = [
      "@ada_bot what is up?",
      { text: "no, I mean you", replyTo: own },
      "@bo_berg look",
      { text: `<a href="tg://user?id=${cy.id}">Cy</a>, look`, parseMode: "HTML" },
      "@everyone look",
    ];
    for (const one of said) bo.say(group, one);
    const heard = [];
    for (let n = 0; n < said.length; n += 1) heard.push(contentOf(await nth(n)));
    expect(heard.map(({ text, mentionContext }) => [text, mentionContext])).toEqual([
      ["@Ada what is up?", { mentionsAgent: true, repliesToAgent: false }],
      ["no, I mean you", { mentionsAgent: false, repliesToAgent: true }],
      ["@bo_berg look", { mentionsAgent: false, repliesToAgent: false, mentionsOther: true }],
      ["@Cy, look", { mentionsAgent: false, repliesToAgent: false, mentionsOther: true }],
      ["@everyone look", { mentionsAgent: false, repliesToAgent: false, mentionsEveryone: true }],
    ]);
    const account = String(simulator.bot().id);
    const message = `${group.id}:${own.message_id}`;
    expect(heard[1]?.inReplyTo).toBe(
      messageMemoryId({ platform: "telegram", account, room: String(group.id), message }),
    );
  });

  it("reads links and code as Markdown, and the words that are answered or forwarded", async () => {
    const { simulator, bo, cy, group, nth } = await inGroup();
    const first = cy.say(group, "The sky is blue. Or is it?");
    bo.say(group, { text: "no", replyTo: first, quote: "Or is it?" });
    bo.say(group, { text: "really?", replyTo: first });
    bo.say(simulator.bot(), { text: 'see <a href="https://example.com/">this</a> <code>x</code>', parseMode: "HTML" });
    bo.forward(first, simulator.bot());
    await nth(4);
    const texts = [];
    for (let n = 1; n < 5; n += 1) texts.push(contentOf(await nth(n)).text);
    expect(texts.toSorted()).toEqual(
      [
        "> Cy: Or is it?\n\nno",
        "> Cy: The sky is blue. Or is it?\n\nreally?",
        "see [this](https://example.com/) `x`",
        "[forwarded from Cy]\nThe sky is blue. Or is it?",
      ].toSorted(),
    );
  });

  it.each<[string, Said, string, object | undefined]>([
    ["a photo", { photo: {}, caption: "look" }, "look", { mediaType: "image/jpeg" }],
    [
      "a document",
      { document: { name: "a.pdf", mediaType: "application/pdf" } },
      "",
      { title: "a.pdf", mediaType: "application/pdf" },
    ],
    ["a voice note", { voice: { durationSeconds: 3 } }, "", { mediaType: "audio/ogg" }],
    ["music", { audio: { title: "Song" } }, "", { mediaType: "audio/mpeg" }],
    ["a video", { video: {} }, "", { mediaType: "video/mp4" }],
    ["an animation", { animation: {} }, "", { mediaType: "video/mp4" }],
    ["a sticker", { sticker: { emoji: "😀" } }, "[sticker: 😀]", { mediaType: "image/webp" }],
    ["a place", { location: { latitude: 52.5, longitude: 13.4 } }, "[location: 52.5, 13.4]", undefined],
    [
      "a contact",
      { contact: { phoneNumber: "+491", firstName: "Di", lastName: "Dorn" } },
      "[contact: Di Dorn, +491]",
      undefined,
    ],
  ])("hears %s", async (_name, said, text, attachment) => {
    const { simulator, nth, client, signal } = await connect();
    simulator.createUser().say(simulator.bot(), said);
    const content = contentOf(await nth(0));
    expect(content.text).toBe(text);
    if (attachment === undefined) return expect(content.attachments).toBeUndefined();
    const [file] = content.attachments ?? [];
    expect(file).toMatchObject({ url: expect.stringMatching(/^troupe-telegram:/), ...attachment });
    const fetched = await client.attachments?.fetch(file?.url ?? "", signal);
    expect(fetched?.bytes.length).toBe(file?.sizeBytes);
  });

  it("keeps the topics of a forum apart, as rooms of one chat", async () => {
    const { simulator, nth, changes } = await connect();
    const bo = simulator.createUser();
    const forum = simulator.createSupergroup({
      title: "Forum",
      isForum: true,
      members: [bo, simulator.bot()],
      isSettled: true,
    });
    const topic = forum.createTopic("Cats");
    bo.say(forum, { text: "meow", topic });
    bo.say(forum, "hello");
    const [inTopic, general] = [await nth(0), await nth(1)];
    expect(inTopic.room).toMatchObject({
      platformId: `${forum.id}/${topic}`,
      channelType: "thread",
      name: "Cats",
      data: { parentPlatformId: String(forum.id) },
    });
    expect(contentOf(inTopic)).toMatchObject({ text: "meow", mentionContext: { repliesToAgent: false } });
    expect(contentOf(inTopic).inReplyTo).toBeUndefined();
    expect(general.room).toMatchObject({ platformId: String(forum.id), channelType: "group" });
    expect(changes.find(({ kind }) => kind === "room")).toMatchObject({ room: { name: "Cats", id: inTopic.room.id } });
  });

  it("hears what changes: edits, reactions, who comes and goes, groups that move", async () => {
    const { simulator, bo, group, nth, changes } = await inGroup();
    const ada = simulator.bot();
    const said = bo.say(ada, "frist");
    bo.edit(said, "first");
    bo.react(said, "👍");
    bo.react(said);
    const di = simulator.createUser({ firstName: "Di" });
    di.join(group);
    di.leave(group);
    const small = simulator.createGroup({ title: "Small", members: [bo, ada] });
    const large = small.upgrade();
    const memoryId = (await nth(0)).memory.id;
    await until(() => expect(changes.some(({ kind }) => kind === "moved")).toBe(true));
    await until(() => expect(changes.some((change) => change.kind === "left" && !change.isAgent)).toBe(true));
    expect(changes.find(({ kind }) => kind === "edited")).toMatchObject({ memoryId, content: { text: "first" } });
    const reactions = changes.flatMap((change) => (change.kind === "reaction" ? [change] : []));
    expect(reactions.map(({ emoji, isAdded, memoryId: id }) => [emoji, isAdded, id])).toEqual([
      ["👍", true, memoryId],
      ["👍", false, memoryId],
    ]);
    expect(changes.filter(({ kind }) => kind === "joined")).toContainEqual(
      expect.objectContaining({ isAgent: true, room: expect.objectContaining({ name: "Small" }) }),
    );
    expect(changes.filter(({ kind }) => kind === "joined" || kind === "left")).toContainEqual(
      expect.objectContaining({ kind: "joined", isAgent: false, entity: expect.objectContaining({ name: "Di" }) }),
    );
    const account = String(ada.id);
    expect(changes.find(({ kind }) => kind === "moved")).toMatchObject({
      fromRoomId: roomIdOf("telegram", account, String(small.id)),
      room: { platformId: String(large.id) },
    });
  });

  it("hears a channel's posts where it is an administrator, and being blocked", async () => {
    const { simulator, nth, changes } = await connect();
    const bo = simulator.createUser({ firstName: "Bo" });
    const channel = simulator.createChannel({
      title: "News",
      username: "the_news",
      members: [bo],
      admins: [simulator.bot()],
      isSettled: true,
    });
    channel.post("Extra!");
    expect(await nth(0)).toMatchObject({
      room: { channelType: "feed", name: "News" },
      entity: { name: "News", isBot: false },
      memory: { content: { text: "Extra!", url: expect.stringMatching(/^https:\/\/t\.me\/the_news\/\d+$/) } },
    });
    bo.say(simulator.bot(), "hi");
    bo.block(simulator.bot());
    await until(() => expect(changes.some((change) => change.kind === "left" && change.isAgent)).toBe(true));
  });

  it("hears commands, its own and not another bot's", async () => {
    const commands = () => [command("ask"), command("my-mute")];
    const { simulator, bo, group, nth } = await inGroup({ parts: { commands } });
    const ada = simulator.bot();
    bo.say(ada, "/start");
    bo.say(ada, "/ask why?");
    bo.say(ada, "/nonsense 1 2");
    bo.say(group, "/my_mute@ada_bot now");
    bo.say(group, "/roll");
    bo.say(group, "/ask@other_bot why?");
    await nth(5);
    const byText = new Map<string, Inbound>();
    for (let n = 0; n < 6; n += 1) byText.set(contentOf(await nth(n)).text, await nth(n));
    const calls = [...byText].map(([text, { kind, memory }]) => [text, kind, memory.content.command] as const);
    expect(calls.toSorted(([a], [b]) => a.localeCompare(b))).toEqual(
      [
        ["/start", "message", undefined],
        ["why?", "command", { name: "ask", parameters: { text: "why?" } }],
        ["/nonsense 1 2", "command", { name: "nonsense", parameters: { text: "1 2" } }],
        ["/my_mute now", "command", { name: "my-mute", parameters: { text: "now" } }],
        ["/roll", "message", undefined],
        ["/ask why?", "message", undefined],
      ].toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    );
    expect(byText.get("/roll")?.memory.content.mentionContext).toMatchObject({ mentionsOther: true });
    expect(byText.get("/my_mute now")?.memory.content.mentionContext).toMatchObject({ mentionsAgent: true });
  });

  it("hears a pressed button as a choice, also one with a value too long for Telegram", async () => {
    const { simulator, client, heard, nth, deliver } = await connect();
    const bo = simulator.createUser();
    bo.say(simulator.bot(), "hi");
    await nth(0);
    const long = `tea/${"x".repeat(200)}`;
    const choices = [
      { value: "coffee", label: "Coffee" },
      { value: long, label: "Tea" },
    ];
    const content = { text: "What may it be?", choices };
    expect(await deliver(bo.id, { content })).toMatchObject({ type: "sent" });
    const asked = await bo.chatWith(simulator.bot()).nextMessage();
    const pressed = [bo.press(asked, "Coffee"), bo.press(asked, "Tea")];
    await until(() => expect(heard).toHaveLength(3));
    const said = [await nth(1), await nth(2)].map(({ kind, memory }) => [
      kind,
      memory.content.text,
      memory.content.command?.parameters["value"],
    ]);
    expect(said).toEqual([
      ["command", "Coffee", "coffee"],
      ["command", "Tea", long],
    ]);
    expect((await nth(1)).memory.content.inReplyTo).toBe(
      messageMemoryId({
        platform: "telegram",
        account: client.account,
        room: String(bo.id),
        message: `${bo.id}:${asked.message_id}`,
      }),
    );
    for (const { answer } of pressed) expect(await answer).not.toBeNull();
  });

  it("never mixes up equal message numbers of two chats", async () => {
    const { simulator, nth } = await connect();
    const bo = simulator.createUser();
    const groups = ["One", "Two"].map((title) =>
      simulator.createSupergroup({ title, members: [bo, simulator.bot()], isSettled: true }),
    );
    const numbers = groups.map((group) => bo.say(group, "same").message_id);
    expect(numbers[0]).toBe(numbers[1]);
    const [one, two] = [await nth(0), await nth(1)];
    expect(one.eventId).not.toBe(two.eventId);
    expect(one.memory.id).not.toBe(two.memory.id);
    expect(one.memory.platformId).not.toBe(two.memory.platformId);
  });

  it("marks what was said long before it was heard", async () => {
    let now = Date.now() - 3_600_000;
    const stage = await connect({
      simulator: { clock: { now: () => now } },
      options: { settings: { answerWithinMs: 60_000 } },
    });
    const bo = stage.simulator.createUser();
    bo.say(stage.simulator.bot(), "an hour ago");
    now = Date.now();
    bo.say(stage.simulator.bot(), "now");
    expect((await stage.nth(0)).memory.metadata).toMatchObject({ late: true });
    expect((await stage.nth(1)).memory.metadata?.["late"]).toBeUndefined();
  });
});
