import { expect, it } from "vitest";
import { builtInActions } from "./built-in-actions.ts";
import { readOffer, refuseOffer } from "./offer.ts";
import { planCalls } from "./plan-calls.ts";
import { createActionResolver } from "./resolve-action.ts";

const offer = { messages: ["7"], kinds: { like: 7, retweet: 0 } } as const;

it("reads an offer out of a message's metadata, and nothing else", () => {
  expect(readOffer({ metadata: { offer: { messages: ["7", 8], kinds: { like: 7, quote: "x" } } } })).toEqual({
    messages: ["7"],
    kinds: { like: 7 },
  });
  for (const metadata of [undefined, {}, { offer: null }, { offer: { messages: ["7"] } }, { offer: ["7"] }]) {
    expect(readOffer({ ...(metadata && { metadata }) })).toBeNull();
  }
});

it("allows what is offered, of what is shown, as far as it is relevant enough", () => {
  expect(refuseOffer(offer, { kind: "like", message: "7", relevance: 7 })).toBeNull();
  expect(refuseOffer(offer, { kind: "retweet", message: "7", relevance: undefined })).toBeNull();
  const refusals = [
    [{ kind: "like", message: "7", relevance: 6.9 }, "below 7"],
    [{ kind: "like", message: "7", relevance: undefined }, "relevance"],
    [{ kind: "like", message: "8", relevance: 10 }, "not among"],
    [{ kind: "like", message: undefined, relevance: 10 }, "Name"],
    [{ kind: "follow", message: "7", relevance: 10 }, "follow"],
  ] as const;
  for (const [taken, words] of refusals) {
    expect(refuseOffer(offer, taken)).toMatchObject({ success: false, error: expect.stringContaining(words) });
  }
});

it("takes REPLY with a message and a text for an answer to that message, and without them as ever", () => {
  const elsewhere = { name: "REPLY_MESSAGE", description: "", similes: [], run: async () => ({ success: true }) };
  const resolve = createActionResolver([...builtInActions, elsewhere]);
  const plan = (parameters?: Record<string, string>) =>
    planCalls(
      {
        text: "",
        actions: [{ name: "REPLY", ...(parameters && { parameters }) }],
        keywords: [],
        providers: [],
        complete: true,
      } as unknown as Parameters<typeof planCalls>[0],
      resolve,
    ).calls.map(({ name }) => name);
  expect(plan({ message: "7", text: "Yes." })).toEqual(["REPLY_MESSAGE"]);
  expect(plan({ message: "7" })).toEqual(["REPLY"]);
  expect(plan()).toEqual(["REPLY"]);
});
