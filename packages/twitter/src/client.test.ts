import { clientContract } from "@troupe/core/testing/contracts";
import { clientOf, createState, hastyClock, openTwitter } from "./testing/stage.ts";

const mentions = "GET /2/users/*/mentions";

clientContract(
  "the client of X",
  async () => {
    const simulator = await openTwitter();
    const bot = simulator.createUser({ username: "ada_bot", name: "Ada" });
    const bo = simulator.createUser({ username: "bo", name: "Bo" });
    // The conversation began before this client was there.
    const root = bo.post("@ada_bot are you there?");
    const state = createState();
    const client = clientOf(simulator, bot, { parts: { state, clock: hastyClock } });
    const said: string[] = [];
    const match = (request: { readonly method: string; readonly path: string }) =>
      request.method === "POST" && request.path === "/2/tweets";
    const odd = (body: unknown, status = 200) =>
      simulator.faults.add({ match: mentions, fault: { type: "answer", answer: { status, body } } });
    const oddPost = (post: unknown) => odd({ data: [post], includes: { users: [post], tweets: [null, post] } });
    return {
      client,
      target: root.id,
      say: (text) => void said.push(bo.post(text, { replyTo: root }).id),
      async acknowledged() {
        const done = JSON.parse((await state.get("cursor/mentions")) ?? '"0"') as string;
        return said.filter((id) => BigInt(id) <= BigInt(done)).length;
      },
      shown: () => bot.posts().map(({ typed }) => typed.replace(/^(@\w+ )+/, "")),
      failNext(failure) {
        if (failure === "unknown") simulator.faults.add({ match, fault: { type: "drop", when: "after" } });
        else if (failure === "not-sent") {
          const headers = { "x-rate-limit-limit": "100", "x-rate-limit-remaining": "0", "x-rate-limit-reset": "1" };
          const body = { title: "Too Many Requests", detail: "Too Many Requests", status: 429 };
          simulator.faults.add({ match, fault: { type: "answer", answer: { status: 429, headers, body } } });
        } else {
          const body = { title: "Forbidden", detail: "You are not permitted to perform this action.", status: 403 };
          simulator.faults.add({ match, fault: { type: "answer", answer: { status: 403, body } } });
        }
      },
      oddities: [
        ...[null, 7, "text", [], { data: {} }, { data: [null, 7] }, { errors: [{}] }].map(
          (body) => () => void odd(body),
        ),
        () => void odd("<html>Bad Gateway</html>", 502),
        ...[
          {},
          { id: "x" },
          { id: "1", author_id: bo.id, text: "\ud800" },
          { id: "99999999999999999999", author_id: bo.id, text: "too long an id" },
          {
            id: "2",
            author_id: bo.id,
            text: 5,
            entities: { mentions: [{}], urls: "x" },
            referenced_tweets: [{ type: "replied_to" }],
          },
        ].map((post) => () => void oddPost(post)),
        () => simulator.pageFaults.add({ endpoint: "GET /2/users/:id/mentions", type: "duplicated" }),
        () => simulator.pageFaults.add({ endpoint: "GET /2/users/:id/mentions", type: "out-of-order" }),
      ],
      close: async () => undefined,
    };
  },
  {
    guarantee: "lookup",
    acknowledged: true,
    oddities: true,
    failures: ["not-sent", "unknown", "rejected"],
  },
);
