import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientOf, refusal, start } from "./testing/setup.ts";

describe("odd requests", () => {
  it("are refused with a reason and never break anything", async () => {
    const defects: unknown[] = [];
    const x = await start({ onDefect: (error) => defects.push(error), limits: { "POST /2/tweets": { user: 10_000 } } });
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const text = fc.constantFrom(
      "text",
      "reply",
      "media",
      "quote_tweet_id",
      "reply_settings",
      "poll",
      "__proto__",
      "x",
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, fc.jsonValue()), async (body) => {
        const answer = await client.v2.post("tweets", body).then(
          () => 201,
          (error: { code: number }) => error.code,
        );
        expect([201, 400, 403]).toContain(answer);
      }),
      { numRuns: 100 },
    );
    expect(defects).toEqual([]);
  });

  it("name what is wrong with a body", async () => {
    const x = await start();
    const client = clientOf(x, x.createUser({ username: "bot" }));
    const cases: readonly [unknown, string][] = [
      [{ text: 1 }, "$.text: integer found, string expected"],
      [{ txt: "a" }, "$.txt: is not defined in the schema and the schema does not allow additional properties"],
      [{ text: "a", reply: [] }, "$.reply: array found, object expected"],
      [{ text: "a", reply: { in_reply_to_tweet_id: 1 } }, "$.in_reply_to_tweet_id: integer found, string expected"],
      [{ text: "a", reply_settings: "nobody" }, "$.reply_settings: does not have a value in the enumeration"],
    ];
    for (const [body, message] of cases) {
      const { code, data } = await refusal(client.v2.post("tweets", body as never));
      expect(code).toBe(400);
      expect(JSON.stringify(data)).toContain(message);
    }
  });

  it("find no page where there is none", async () => {
    const x = await start();
    const client = clientOf(x, x.createUser({ username: "bot" }));
    expect(await refusal(client.v2.get("nonsense"))).toMatchObject({ code: 404, data: { errors: [{ code: 34 }] } });
    expect((await fetch(`${x.url}/2/users/me`, { method: "PATCH" })).status).toBe(404);
    expect((await fetch(`${x.url}/2/tweets/%00`)).status).toBe(401);
    expect((await fetch(`${x.url}/2/oauth2/token`, { method: "POST", body: "%%%" })).status).toBe(401);
    const broken = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
    const answer = await fetch(`${x.url}/2/tweets`, broken);
    expect([answer.status, await answer.json()]).toMatchObject([400, { title: "Invalid Request" }]);
  });
});

describe("faults", () => {
  it("leave open whether a post was made, and the second attempt is a duplicate", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const client = clientOf(x, bot);
    x.faults.add({ match: "POST /2/tweets", fault: { type: "drop", when: "after" } });
    await expect(client.v2.tweet("Once")).rejects.toMatchObject({ type: "request" });
    expect(bot.posts()).toHaveLength(1);
    expect(await refusal(client.v2.tweet("Once"))).toMatchObject({
      code: 403,
      data: { detail: expect.stringContaining("duplicate content") },
    });
    x.faults.add({
      match: "GET /2/users/*/mentions",
      fault: { type: "answer", answer: { status: 503, body: "busy" } },
    });
    await expect(client.v2.userMentionTimeline(bot.id)).rejects.toBeDefined();
  });
});

describe("waiting", () => {
  it("ends with the change it waits for, or with the simulator", async () => {
    const x = await start();
    const bot = x.createUser({ username: "bot" });
    const waiting = x.until(() => bot.posts().find(({ text }) => text.includes("there")));
    const client = clientOf(x, bot);
    await client.v2.tweet("Not yet");
    await client.v2.tweet("Now it is there");
    expect((await waiting).text).toBe("Now it is there");
    const inVain = expect(x.until(() => false)).rejects.toThrow("was closed");
    const given = new AbortController();
    const stopped = expect(x.until(() => null, given.signal)).rejects.toThrow("enough");
    given.abort(new Error("enough"));
    await stopped;
    await x.close();
    await inVain;
  });
});
