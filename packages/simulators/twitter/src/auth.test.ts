import { createHmac } from "node:crypto";
import { TwitterApi } from "twitter-api-v2";
import { describe, expect, it } from "vitest";
import type { Credentials, TwitterSimulator } from "./index.ts";
import { agentOf, clientOf, refusal, setClock, start } from "./testing/setup.ts";

type Signing = {
  readonly query?: string;
  readonly timestamp?: number;
  readonly nonce?: string;
  readonly host?: string;
};

// Written apart from the simulator's own verification, after RFC 5849.
function sign(keys: Credentials, path: string, signing: Signing = {}): string {
  const encode = (text: string): string =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign_) => `%${sign_.charCodeAt(0).toString(16).toUpperCase()}`);
  const own: [string, string][] = [
    ["oauth_consumer_key", keys.appKey],
    ["oauth_nonce", signing.nonce ?? "once"],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", String(signing.timestamp ?? Math.floor(Date.now() / 1000))],
    ["oauth_token", keys.accessToken],
    ["oauth_version", "1.0"],
  ];
  const all = [...own, ...new URLSearchParams(signing.query ?? "")].map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  );
  const url = `https://${signing.host ?? "api.x.com"}${path}`;
  const base = `GET&${encode(url)}&${encode(all.sort().join("&"))}`;
  const signature = createHmac("sha1", `${encode(keys.appSecret)}&${encode(keys.accessSecret)}`)
    .update(base)
    .digest("base64");
  return `OAuth ${[...own, ["oauth_signature", signature]].map(([name, value]) => `${name}="${encode(value ?? "")}"`).join(", ")}`;
}

async function get(
  x: TwitterSimulator,
  path: string,
  authorization?: string,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${x.url}${path}`, authorization === undefined ? {} : { headers: { authorization } });
  return { status: answer.status, body: await answer.json() };
}

describe("a signature", () => {
  it("is right when it is made as the standard says, and good once", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const keys = x.credentials(bot);
    const query = "user.fields=created_at,description";
    const authorization = sign(keys, "/2/users/me", { query });
    const first = await get(x, `/2/users/me?${query}`, authorization);
    expect(first).toMatchObject({ status: 200, body: { data: { id: bot.id, username: "bot" } } });
    expect(await get(x, `/2/users/me?${query}`, authorization)).toMatchObject({
      status: 401,
      body: { title: "Unauthorized", status: 401, errors: [{ code: 32 }] },
    });
  });

  it("is refused when anything in it differs", async () => {
    const x = await start();
    const keys = x.credentials(x.createUser({ username: "bot" }));
    const now = Math.floor(Date.now() / 1000);
    const cases: readonly [string | undefined, number | undefined][] = [
      [undefined, undefined],
      ["", undefined],
      ["OAuth nonsense", 32],
      ["Basic abc", 32],
      ["Bearer nonsense", undefined],
      [sign({ ...keys, appSecret: "x" }, "/2/users/me"), 32],
      [sign({ ...keys, accessSecret: "x" }, "/2/users/me"), 32],
      [sign({ ...keys, appKey: "x" }, "/2/users/me"), 32],
      [sign({ ...keys, accessToken: "x" }, "/2/users/me"), 89],
      [sign(keys, "/2/users/you"), 32],
      [sign(keys, "/2/users/me", { query: "a=b" }), 32],
      [sign(keys, "/2/users/me", { host: "127.0.0.1" }), 32],
      [sign(keys, "/2/users/me", { timestamp: now - 3600 }), 135],
      [sign(keys, "/2/users/me").replace("HMAC-SHA1", "PLAINTEXT"), 32],
      [sign(keys, "/2/users/me").replaceAll("%", "%%"), 32],
    ];
    for (const [authorization, code] of cases) {
      const { status, body } = await get(x, "/2/users/me", authorization);
      const errors = code === undefined ? {} : { errors: [{ code }] };
      expect({ status, body }, authorization).toMatchObject({
        status: 401,
        body: { title: "Unauthorized", ...errors },
      });
    }
  });
});

describe("an account's standing", () => {
  it("is told with every call", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    bot.setStanding("suspended");
    expect(await refusal(client.v2.tweet("Hi"))).toMatchObject({
      code: 403,
      data: {
        detail: "The user used for authentication is suspended",
        type: expect.stringContaining("user-suspended"),
      },
    });
    bot.setStanding("locked");
    const locked = await refusal(client.v2.me());
    expect(locked).toMatchObject({ code: 403, data: { detail: expect.stringContaining("temporarily locked") } });
    bot.setStanding("active");
    await client.v2.tweet("Hi");
    x.revoke(bot);
    expect(await refusal(client.v2.me())).toMatchObject({ code: 401, data: { errors: [{ code: 89 }] } });
    expect((await clientOf(x, bot).v2.me()).data.username).toBe("bot");
  });

  it("hides what suspended accounts have posted", async () => {
    const x = await start();
    const eve = x.createUser({ username: "eve" });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const post = eve.post("@bot spam");
    eve.setStanding("suspended");
    expect((await client.v2.singleTweet(post.id)).errors).toMatchObject([{ title: "Authorization Error" }]);
    expect((await client.v2.userByUsername("eve")).errors).toMatchObject([
      { title: "Forbidden", detail: "User has been suspended: [eve]." },
    ]);
    expect((await client.v2.search("spam")).data.meta.result_count).toBe(0);
  });
});

describe("an app", () => {
  it("does what its permissions allow", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const reading = clientOf(x, bot, x.createApp({ permissions: "read" }));
    expect((await reading.v2.me()).data.id).toBe(bot.id);
    expect(await refusal(reading.v2.tweet("Hi"))).toMatchObject({
      code: 403,
      data: { type: expect.stringContaining("oauth1-permissions") },
    });
    const writing = clientOf(x, bot, x.createApp({ permissions: "read-write" }));
    await writing.v2.tweet("Hi");
    expect(await refusal(writing.v2.listDmEvents())).toMatchObject({ code: 403 });
    const app = x.createApp();
    app.isEnrolled = false;
    expect(await refusal(clientOf(x, bot, app).v2.me())).toMatchObject({
      code: 403,
      data: { title: "Client Forbidden" },
    });
  });

  it("reads in public by its own token and does nothing in a user's name", async () => {
    const x = await start();
    const ada = x.createUser({ username: "ada" });
    ada.post("public");
    const app = x.createApp();
    const keys = { appKey: app.key, appSecret: app.secret };
    const client = await new TwitterApi(keys, { httpAgent: agentOf(x) }).appLogin();
    expect((await client.v2.userTimeline(ada.id)).tweets).toHaveLength(1);
    for (const call of [client.v2.me(), client.v2.get(`users/${ada.id}/timelines/reverse_chronological`)]) {
      expect(await refusal(call)).toMatchObject({
        code: 403,
        data: { title: "Unsupported Authentication", type: expect.stringContaining("unsupported-authentication") },
      });
    }
  });
});

describe("OAuth 2.0", () => {
  const redirect = "http://127.0.0.1:9/callback";

  it("gives tokens for a code, holds to the scopes, and refreshes once", async () => {
    const clock = setClock();
    const x = await start({ clock });
    const bot = x.createUser({ username: "bot" });
    const app = x.createApp();
    const settings = { httpAgent: agentOf(x) };
    const oauth = new TwitterApi({ clientId: app.clientId, clientSecret: app.clientSecret }, settings);
    const scope = ["tweet.read", "users.read", "tweet.write", "offline.access"] as const;
    const { url, codeVerifier, state } = oauth.generateOAuth2AuthLink(redirect, { scope: [...scope] });
    const returned = new URL(x.approve(url, bot));
    expect(returned.searchParams.get("state")).toBe(state);
    const code = returned.searchParams.get("code") ?? "";
    const login = await oauth.loginWithOAuth2({ code, codeVerifier, redirectUri: redirect });
    expect(login).toMatchObject({ expiresIn: 7200, scope });
    await login.client.v2.tweet("By OAuth 2.0");
    expect(await refusal(login.client.v2.like(bot.id, bot.posts()[0]?.id ?? ""))).toMatchObject({ code: 403 });
    clock.advance(7200_000);
    expect(await refusal(login.client.v2.me())).toMatchObject({ code: 401 });
    const refreshed = await oauth.refreshOAuth2Token(login.refreshToken ?? "");
    expect((await refreshed.client.v2.me()).data.username).toBe("bot");
    expect(await refusal(oauth.refreshOAuth2Token(login.refreshToken ?? ""))).toMatchObject({
      code: 400,
      data: { error: "invalid_request", error_description: "Value passed for the token was invalid." },
    });
    await oauth.revokeOAuth2Token(refreshed.refreshToken ?? "", "refresh_token");
    expect(await refusal(refreshed.client.v2.me())).toMatchObject({ code: 401 });
  });

  it("refuses a wrong verifier, a late or used code, a wrong secret", async () => {
    const clock = setClock();
    const x = await start({ clock });
    const bot = x.createUser({ username: "bot" });
    const app = x.createApp();
    const settings = { httpAgent: agentOf(x) };
    const oauth = new TwitterApi({ clientId: app.clientId, clientSecret: app.clientSecret }, settings);
    const link = oauth.generateOAuth2AuthLink(redirect, { scope: ["tweet.read"] });
    const codeOf = (): string => new URL(x.approve(link.url, bot)).searchParams.get("code") ?? "";
    const exchange = (code: string, codeVerifier: string): Promise<unknown> =>
      oauth.loginWithOAuth2({ code, codeVerifier, redirectUri: redirect });
    expect(await refusal(exchange(codeOf(), "wrong"))).toMatchObject({ code: 400 });
    const late = codeOf();
    clock.advance(30_000);
    expect(await refusal(exchange(late, link.codeVerifier))).toMatchObject({ code: 400 });
    const code = codeOf();
    await exchange(code, link.codeVerifier);
    expect(await refusal(exchange(code, link.codeVerifier))).toMatchObject({ code: 400 });
    const wrong = new TwitterApi({ clientId: app.clientId, clientSecret: "wrong" }, settings);
    const refused = wrong.loginWithOAuth2({ code: codeOf(), codeVerifier: link.codeVerifier, redirectUri: redirect });
    expect(await refusal(refused)).toMatchObject({ code: 401, data: { error: "unauthorized_client" } });
  });

  it("shows a page to let an app in or not", async () => {
    const x = await start();
    x.createUser({ username: "bot" });
    const app = x.createApp({ name: "A <b>", isConfidential: false });
    const oauth = new TwitterApi({ clientId: app.clientId }, { httpAgent: agentOf(x) });
    const link = oauth.generateOAuth2AuthLink(redirect, { scope: ["tweet.read", "users.read"] });
    const address = link.url.replace("https://x.com", x.url);
    const page = await (await fetch(address)).text();
    expect(page).toContain("A &lt;b&gt; wants to access your account");
    const send = (form: Record<string, string>): Promise<Response> =>
      fetch(address, { method: "POST", redirect: "manual", body: new URLSearchParams(form) });
    expect((await send({ deny: "yes" })).headers.get("location")).toContain("error=access_denied");
    expect((await send({ username: "nobody" })).status).toBe(400);
    const location = (await send({ username: "bot" })).headers.get("location") ?? "";
    const code = new URL(location).searchParams.get("code") ?? "";
    const login = await oauth.loginWithOAuth2({ code, codeVerifier: link.codeVerifier, redirectUri: redirect });
    expect((await login.client.v2.me()).data.username).toBe("bot");
    expect(login.refreshToken).toBeUndefined();
    expect((await fetch(address.replace("client_id=", "client_id=x"))).status).toBe(400);
    expect(() => x.deny(link.url.replace("s256", "none"))).toThrow("code_challenge_method");
  });

  it("is the only way to bookmarks", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const post = x.createUser({ username: "ada" }).post("Keep this");
    expect(await refusal(clientOf(x, bot).v2.bookmark(post.id))).toMatchObject({
      code: 403,
      data: { title: "Unsupported Authentication" },
    });
    const app = x.createApp({ isConfidential: false });
    const oauth = new TwitterApi({ clientId: app.clientId }, { httpAgent: agentOf(x) });
    const scope = ["tweet.read", "users.read", "bookmark.read", "bookmark.write"] as const;
    const link = oauth.generateOAuth2AuthLink(redirect, { scope: [...scope] });
    const code = new URL(x.approve(link.url, bot)).searchParams.get("code") ?? "";
    const { client } = await oauth.loginWithOAuth2({ code, codeVerifier: link.codeVerifier, redirectUri: redirect });
    expect(await client.v2.bookmark(post.id)).toEqual({ data: { bookmarked: true } });
    expect((await client.v2.bookmarks()).tweets.map(({ id }) => id)).toEqual([post.id]);
    expect(bot.bookmarks()).toHaveLength(1);
    await client.v2.deleteBookmark(post.id);
    expect(bot.bookmarks()).toEqual([]);
  });
});
