import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Attachment, Delivery } from "@troupe/core";
import { systemClock } from "@troupe/core";
import { planTextDeliveries } from "@troupe/core/outbox";
import { describe, expect, it } from "vitest";
import { beginLogin, finishLogin } from "./login.ts";
import { connect, deliveryOf, onEnd, openTwitter, type Setting } from "./testing/stage.ts";

const quiet: Setting = { settings: { mentions: false } };

async function connectTwo(setting: Setting = quiet, replies: "summoned" | "everybody" = "summoned") {
  const simulator = await openTwitter({ replies });
  const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
  const bo = simulator.createUser({ username: "bo", name: "Bo" });
  return { ...(await connect(setting, { simulator, bot })), bo };
}

/** The deliveries of one long text, as the engine makes them. */
function pieces(stage: Awaited<ReturnType<typeof connect>>, target: string, text: string, answers?: string) {
  const base = deliveryOf(stage.client, target, "", 1);
  const room = { ...base, id: base.roomId, platformId: target, channelType: "feed" as const };
  const planned = planTextDeliveries({ agentId: "agent", runId: "run-9", room, message: null }, stage.client, {
    callId: "1.text",
    text,
  });
  return planned.map(
    (one, n): Delivery => ({ ...one, ...(n === 0 && answers !== undefined && { replyToPlatformId: answers }) }),
  );
}

const long = Array.from({ length: 30 }, (_, n) => `Sentence number ${n} goes on about engines.`).join(" ");

describe("what is said", () => {
  it("is a thread when it is long, each piece under the one before, numbered where that is wished", async () => {
    const stage = await connectTwo({ settings: { mentions: false, numberedThreads: true } });
    const ids: string[] = [];
    for (const piece of pieces(stage, "feed", long)) {
      const result = await stage.client.send(piece, stage.signal);
      ids.push(result.type === "sent" ? result.platformId : result.error);
    }
    const posts = stage.bot.posts();
    expect(posts.length).toBeGreaterThan(4);
    expect(posts.map(({ replyTo }) => replyTo?.postId)).toEqual([undefined, ...ids.slice(0, -1)]);
    expect(posts.map(({ typed }) => typed.split(" ")[0])).toEqual(posts.map((_, n) => `${n + 1}/${posts.length}`));
    expect(posts.map(({ typed }) => typed.replace(/^\d+\/\d+ /, "")).join(" ")).toBe(long);
  });

  it("goes on under its own first piece when it answers somebody, and not at all when that was refused", async () => {
    const stage = await connectTwo();
    const question = stage.bo.post("@ada_bot tell me everything");
    for (const piece of pieces(stage, question.id, long, question.id)) await stage.client.send(piece, stage.signal);
    const [first, second] = stage.bot.posts();
    expect([first?.replyTo?.postId, second?.replyTo?.postId]).toEqual([question.id, first?.id]);
    const other = await connectTwo();
    other.bot.post("Whatever.");
    await other.deliver("feed", "Engines are made of brass and patience.");
    const [one, two] = pieces(other, "feed", `${"Engines are made of brass and patience. ".repeat(8)} ${long}`);
    const again = { ...one, content: { text: "Engines are made of brass and patience." } } as Delivery;
    expect(await other.client.send(again, other.signal)).toMatchObject({ type: "rejected" });
    expect(await other.client.send(two as Delivery, other.signal)).toMatchObject({ type: "rejected" });
    expect(other.bot.posts()).toHaveLength(2);
  });

  it("answers a post once, unless the character may do so more often", async () => {
    const stage = await connectTwo();
    const question = stage.bo.post("@ada_bot why?");
    const answer = (text: string) => stage.deliver(question.id, { replyToPlatformId: question.id, content: { text } });
    expect(await answer("Because.")).toMatchObject({ type: "sent" });
    expect(await answer("And also because.")).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("repliesPerPost"),
    });
    expect(stage.bot.posts()).toHaveLength(1);
  });

  it("ends conversations that go on and on", async () => {
    const stage = await connectTwo({ settings: { mentions: false, repliesPerConversation: 2 } });
    const root = stage.bo.post("@ada_bot ping");
    const results = [];
    for (const n of [1, 2, 3]) {
      const post = n === 1 ? root : stage.bo.post(`@ada_bot ping ${n}`, { replyTo: root });
      results.push(await stage.deliver(root.id, { replyToPlatformId: post.id, content: { text: `pong ${n}` } }));
    }
    expect(results.map(({ type }) => type)).toEqual(["sent", "sent", "rejected"]);
  });

  it("has none of the links, names and hashtags that the character's settings forbid", async () => {
    const forbid = { links: ["spam.example"], mentions: true, hashtags: ["ad"] };
    const stage = await connectTwo({ settings: { mentions: false, forbid } });
    await stage.deliver("feed", "Dear @bo, see https://a.spam.example/x and https://good.example/y #ad #brass.");
    expect(stage.bot.posts()[0]?.typed).toBe("Dear bo, see and https://good.example/y ad #brass.");
    expect(await stage.deliver("feed", "https://spam.example/")).toMatchObject({ type: "rejected" });
  });

  it("carries pictures with words for those who cannot see them, and refuses what X does not take", async () => {
    const stage = await connectTwo();
    const url = `data:image/png;base64,${Buffer.from("not really a picture").toString("base64")}`;
    const picture: Attachment = { id: "1", url, mediaType: "image/png", description: "An engine of brass" };
    const sent = await stage.deliver("feed", { content: { text: "Look.", attachments: [picture] } });
    expect(sent).toMatchObject({ type: "sent" });
    expect(stage.bot.posts()[0]?.mediaIds).toHaveLength(1);
    const described = stage.simulator.requests.find(({ path }) => path === "/2/media/metadata");
    expect(described?.body).toMatchObject({ metadata: { alt_text: { text: "An engine of brass" } } });
    const pdf: Attachment = { id: "2", url: "data:application/pdf;base64,AA==", mediaType: "application/pdf" };
    const refused = await stage.deliver("feed", { content: { text: "Read.", attachments: [pdf] } });
    expect(refused).toMatchObject({ type: "rejected", error: expect.stringContaining("application/pdf") });
    const gone: Attachment = { id: "3", url: "file:///no/such/picture.png", mediaType: "image/png" };
    expect(await stage.deliver("feed", { content: { text: "See.", attachments: [gone] } })).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("ENOENT"),
    });
    expect(stage.bot.posts()).toHaveLength(1);
  });

  it("is told in words where X lets an account answer only who asked", async () => {
    const stage = await connectTwo();
    const post = stage.bo.post("Nobody asked you");
    const result = await stage.deliver(post.id, { replyToPlatformId: post.id, content: { text: "I know." } });
    expect(result).toMatchObject({ type: "rejected", error: expect.stringContaining("only posts that mention") });
  });
});

describe("what is done to posts and people", () => {
  it("likes, reposts, quotes and takes it back, and follows the author of a post or a person by id", async () => {
    const stage = await connectTwo(quiet, "everybody");
    const { bot, bo, deliver } = stage;
    const post = bo.post("Brass beats steel");
    const act = (kind: Delivery["kind"], text = "", replyToPlatformId = post.id) =>
      deliver(post.id, { kind, content: { text }, replyToPlatformId });
    expect(await act("like")).toMatchObject({ type: "sent", platformId: post.id });
    expect(await act("like")).toMatchObject({ type: "sent" });
    expect(bot.likes().map(({ id }) => id)).toEqual([post.id]);
    expect(await act("retweet")).toMatchObject({ type: "sent" });
    expect(await act("quote", "It does.")).toMatchObject({ type: "sent" });
    expect(bot.posts().map(({ repostOf, quoteOf }) => repostOf ?? quoteOf)).toEqual([post.id, post.id]);
    await act("unlike");
    await act("unretweet");
    expect(bot.likes()).toEqual([]);
    expect(bot.posts().filter(({ repostOf }) => repostOf !== null)).toEqual([]);
    expect(await act("follow")).toMatchObject({ type: "sent" });
    expect(bot.following()).toEqual(["bo"]);
    const cy = stage.simulator.createUser({ username: "cy" });
    await act("follow", "", cy.id);
    expect(bot.following()).toEqual(["bo", "cy"]);
  });

  it("says what is missing where only OAuth 2.0 may do it, and what is gone", async () => {
    const { bo, deliver } = await connectTwo();
    const post = bo.post("Keep me");
    const bookmark = { kind: "bookmark", replyToPlatformId: post.id, content: { text: "" } } as const;
    expect(await deliver(post.id, bookmark)).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("troupe login twitter"),
    });
    bo.delete(post);
    expect(await deliver(post.id, { ...bookmark, kind: "like" })).toMatchObject({
      type: "rejected",
      error: expect.stringContaining("not there any more"),
    });
  });
});

describe("a sign-in by OAuth 2.0", () => {
  async function signedIn() {
    const home = await mkdtemp(join(tmpdir(), "troupe-twitter-"));
    onEnd(() => rm(home, { recursive: true }));
    let now = Date.now();
    const simulator = await openTwitter({ clock: { now: () => now } });
    const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
    const app = simulator.createApp({ redirectUris: ["http://127.0.0.1:7777/callback"] });
    const signIn = {
      clientId: app.clientId,
      clientSecret: app.clientSecret,
      tokensPath: join(home, "x", "tokens.json"),
    };
    const clock = { ...systemClock, now: () => now };
    const login = { apiRoot: simulator.url, clock, signal: new AbortController().signal };
    const begun = beginLogin(signIn, "http://127.0.0.1:7777/callback");
    const returned = simulator.approve(begun.url, bot);
    const pass = (ms: number) => {
      now += ms;
    };
    return { home, simulator, bot, signIn, clock, login, begun, returned, pass };
  }

  it("is kept encrypted, renewed before it ends, and bookmarks", async () => {
    const { simulator, bot, signIn, clock, login, begun, returned, pass } = await signedIn();
    await finishLogin(signIn, begun, returned, login);
    const setting: Setting = { settings: { mentions: false }, options: { credentials: signIn }, parts: { clock } };
    const stage = await connect(setting, { simulator, bot });
    expect(stage.client.account).toBe(bot.id);
    const post = simulator.createUser({ username: "bo" }).post("Keep me");
    const bookmark = { kind: "bookmark", replyToPlatformId: post.id, content: { text: "" } } as const;
    expect(await stage.deliver(post.id, bookmark)).toMatchObject({ type: "sent" });
    expect(bot.bookmarks().map(({ id }) => id)).toEqual([post.id]);
    for (const word of ["brass", "steam", "looms"]) {
      pass(3 * 3_600_000);
      const both = await Promise.all([stage.deliver("feed", `${word} one`), stage.deliver("feed", `${word} second`)]);
      expect(both.map(({ type }) => type)).toEqual(["sent", "sent"]);
    }
    const renewals = simulator.requests.filter(({ path }) => path === "/2/oauth2/token");
    expect(renewals).toHaveLength(4);
  });

  it("ends loudly when it was taken back, and refuses an address of another sign-in", async () => {
    const { simulator, bot, signIn, clock, login, begun, returned, pass } = await signedIn();
    const other = beginLogin(signIn, begun.redirectUri);
    await expect(finishLogin(signIn, other, returned, login)).rejects.toMatchObject({ code: "invalid" });
    await expect(finishLogin(signIn, begun, simulator.deny(begun.url), login)).rejects.toMatchObject({
      code: "unauthorized",
    });
    await finishLogin(signIn, begun, returned, login);
    simulator.revoke(bot);
    pass(3 * 3_600_000);
    const setting: Setting = { options: { credentials: signIn }, parts: { clock } };
    await expect(connect(setting, { simulator, bot })).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("troupe login twitter"),
    });
  });
});
