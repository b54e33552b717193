import type { DeliveryRow, InboxRow } from "@troupe/core";
import { messageMemoryId } from "@troupe/core/memory";
import { expect, it } from "vitest";
import { createLedger } from "./ledger.ts";
import { isSound, renderReckoning } from "./render-reckoning.ts";
import type { Said } from "./stage.ts";

const place = { room: "r1", isDirect: false, place: "#harbour" } as const;

function asked(id: string, more: Partial<Said> = {}): Said {
  const text = `question ${id}`;
  return {
    type: "said",
    key: id,
    id,
    ...place,
    by: "Bo",
    account: null,
    text,
    answers: null,
    addressed: ["bot"],
    ...more,
  };
}

function answer(id: string, question: string, more: Partial<Said> = {}): Said {
  return {
    ...asked(id),
    by: "Ada",
    account: "bot",
    text: `answer to ${question}`,
    answers: question,
    addressed: [],
    ...more,
  };
}

type World = {
  /** Outcomes by question. */
  readonly outcomes: Readonly<Record<string, InboxRow["outcome"] | "under way">>;
  /** Platform ids of what was sent, by question. */
  readonly sent: Readonly<Record<string, string>>;
  readonly hiddenArrivals?: number;
  readonly tellsFirstWords?: boolean;
};

/** A ledger over a store that says what it is told. */
function open({ outcomes, sent, hiddenArrivals = 0, tellsFirstWords = true }: World) {
  const memoryId = (message: string, room = "r1") =>
    messageMemoryId({ platform: "discord", account: "bot", room, message });
  const rows = new Map(
    Object.entries(outcomes).map(([id, outcome]) => [
      memoryId(id),
      { runId: `run-${id}`, ...(outcome !== "under way" && { outcome, reason: "because" }) },
    ]),
  );
  const deliveries = Object.entries(sent).map(([id, platformId]) => ({
    delivery: { runId: `run-${id}`, platform: "discord", account: "bot", kind: "message" },
    state: "sent",
    platformId,
  }));
  return createLedger({
    stage: { platform: "discord", title: "Discord", hiddenArrivals: () => hiddenArrivals, tellsFirstWords },
    agents: new Map([["bot", "ada"]]),
    store: {
      // The ledger reads no more of rows than this.
      inbox: { find: async (_: string, id: string) => (rows.get(id) as InboxRow | undefined) ?? null } as never,
      outbox: { list: async () => deliveries as unknown as readonly DeliveryRow[] } as never,
    },
  });
}

it("tells what was answered once from what was not, and from silence that was meant", async () => {
  const outcomes = { q1: "answered", q2: "ignored", q3: "failed", q5: "under way", q6: "answered" } as const;
  const ledger = open({ outcomes, sent: { q1: "a1", q6: "gone" } });
  for (const id of ["q1", "q2", "q3", "q4", "q5", "q6"]) ledger.note(asked(id));
  ledger.note(asked("aside", { addressed: [] }));
  ledger.note(answer("a1", "q1"));
  const reckoning = await ledger.reckon();
  expect(reckoning).toMatchObject({ said: 7, addressed: 6, once: 1, twice: [], unexplained: [] });
  expect(reckoning.never.map(({ text }) => text).toSorted()).toEqual(["question q3", "question q4", "question q6"]);
  expect(reckoning.silent.map(({ reason }) => reason)).toEqual(["because"]);
  expect(reckoning.waiting).toHaveLength(1);
  expect(isSound(reckoning)).toBe(false);
  expect(renderReckoning("Discord", reckoning)).toContain("answered once 1, twice 0, never 3, silent on purpose 1");
});

it("finds what was shown twice, also where nothing points at the question", async () => {
  const ledger = open({ outcomes: { q1: "answered", q2: "answered" }, sent: { q1: "a1", q2: "a2" } });
  for (const id of ["q1", "q2"]) ledger.note(asked(id));
  for (const said of [answer("a1", "q1"), answer("a1b", "q1"), answer("a2", "q2", { answers: null })])
    ledger.note(said);
  ledger.note(answer("a2b", "q2", { answers: null, text: "answer to q2" }));
  ledger.note(answer("a9", "q9", { text: "out of nowhere" }));
  const reckoning = await ledger.reckon();
  expect(reckoning).toMatchObject({ once: 0, never: [] });
  expect(reckoning.twice.map(({ text }) => text)).toEqual(["question q1", "question q2"]);
  expect(reckoning.unexplained.map(({ text }) => text)).toEqual(["out of nowhere"]);
  expect(isSound(reckoning)).toBe(false);
});

it("excuses as many as the platform hid, and first words in private that nobody tells", async () => {
  const ledger = open({ outcomes: { q1: "answered" }, sent: { q1: "a1" }, hiddenArrivals: 1, tellsFirstWords: false });
  ledger.note(asked("q1"));
  ledger.note(answer("a1", "q1"));
  ledger.note(answer("a1b", "q1"));
  ledger.note(asked("d1", { room: "r9", isDirect: true }));
  const reckoning = await ledger.reckon();
  expect(isSound(reckoning)).toBe(true);
  expect(renderReckoning("Discord", reckoning)).toContain("Discord tells nobody of first words in private");
  ledger.note(asked("q2"));
  ledger.note(answer("a1c", "q1"));
  expect(isSound(await ledger.reckon())).toBe(false);
});

it("counts a message that was taken back as not shown", async () => {
  const ledger = open({ outcomes: { q1: "answered" }, sent: { q1: "a1" } });
  ledger.note(asked("q1"));
  ledger.note(answer("a1", "q1"));
  ledger.note(answer("a1b", "q1"));
  ledger.note({ type: "removed", key: "a1b" });
  expect(await ledger.reckon()).toMatchObject({ once: 1, twice: [] });
});
