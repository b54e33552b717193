import type { DeliveryRow, Store } from "@troupe/core";
import { messageMemoryId } from "@troupe/core/memory";
import type { Happening, Said, Stage } from "./stage.ts";

/** What was said on one platform to the characters, and what they said. */
export type Ledger = {
  note(happening: Happening): void;
  /** Holds what was seen against what the agents know. */
  reckon(): Promise<Reckoning>;
};

/** What became of everything that was said to the characters on one platform. */
export type Reckoning = {
  readonly platform: string;
  /** Messages of people. */
  readonly said: number;
  /** Of those, messages to a character; one to two of them counts twice. */
  readonly addressed: number;
  readonly once: number;
  /** Shown more than once. */
  readonly twice: readonly Verdict[];
  /** Not answered, although nothing says that silence was meant. */
  readonly never: readonly Verdict[];
  /** Not answered on purpose: by a rule, or because the model chose silence or a reaction. */
  readonly silent: readonly Verdict[];
  /** Still under way. */
  readonly waiting: readonly Verdict[];
  /** What a bot said and no delivery accounts for. */
  readonly unexplained: readonly Verdict[];
};

/** One message, and what is to be said about it. */
export type Verdict = {
  readonly place: string;
  readonly text: string;
  readonly reason: string;
  /** The platform lets nobody do better. */
  readonly isExcused: boolean;
};

/** What a ledger needs to know. */
export type LedgerParts = {
  readonly stage: Pick<Stage, "platform" | "title" | "hiddenArrivals" | "tellsFirstWords">;
  readonly store: Pick<Store, "inbox" | "outbox">;
  /** The agents behind the accounts. */
  readonly agents: ReadonlyMap<string, string>;
};

/** Begins one. */
export function createLedger(parts: LedgerParts): Ledger {
  const heard: Said[] = [];
  const shown = new Map<string, Said>();
  return {
    note(happening) {
      switch (happening.type) {
        case "said":
          if (happening.account === null) heard.push(happening);
          else shown.set(happening.key, happening);
          return;
        case "changed": {
          const known = shown.get(happening.key);
          if (known) shown.set(happening.key, { ...known, text: happening.text });
          return;
        }
        case "removed":
          shown.delete(happening.key);
          return;
        case "did":
          return;
      }
    },
    async reckon() {
      const asked = heard.flatMap((message) =>
        message.addressed.flatMap((account) => {
          const agentId = parts.agents.get(account);
          return agentId === undefined ? [] : [{ message, account, agentId }];
        }),
      );
      const sent = await readSent(parts, shown.size);
      const claims = createClaims([...shown.values()], sent);
      const answers = await Promise.all(asked.map((one) => lookUp(parts, one, { claims, sent })));
      const { platform } = parts.stage;
      return { platform, said: heard.length, addressed: asked.length, ...judge(parts, answers, claims.left()) };
    },
  };
}

/** What agents have sent to the platform, by run. */
type Sent = ReadonlyMap<string, readonly DeliveryRow[]>;

async function readSent({ stage, store, agents }: LedgerParts, shown: number): Promise<Sent> {
  // Some say several things with nothing to be seen: reactions, what was refused.
  const query = { limit: 100 + 3 * shown, newestFirst: true };
  const rows = (await Promise.all([...agents.values()].map((agentId) => store.outbox.list(agentId, query)))).flat();
  const here = rows.filter(({ delivery }) => delivery.platform === stage.platform);
  return Map.groupBy(here, ({ delivery }) => delivery.runId);
}

/** What bots said, each to be accounted for by one delivery. */
type Claims = {
  /** What a delivery has shown; null when it is not there. */
  of(row: DeliveryRow): Said | null;
  /** What no delivery accounts for. */
  left(): readonly Said[];
};

function createClaims(shown: readonly Said[], sent: Sent): Claims {
  const all = new Map(shown.map((said) => [`${said.account} ${said.id}`, said]));
  const keyOf = ({ delivery, platformId = "" }: DeliveryRow): string | undefined =>
    // A client may put the room, a thread's, before the message's own id.
    [platformId, platformId.split("/").at(-1)].map((id) => `${delivery.account} ${id}`).find((key) => all.has(key));
  const claimed = new Set([...sent.values()].flat().flatMap((row) => keyOf(row) ?? []));
  return {
    of: (row) => all.get(keyOf(row) ?? "") ?? null,
    left: () => [...all].flatMap(([key, said]) => (claimed.has(key) ? [] : [said])),
  };
}

/** A message to a character: what the agent says of it, and what can be seen. */
type Answer = {
  readonly message: Said;
  readonly account: string;
  readonly fate: "answered" | "silent" | "waiting" | "unheard" | "lost";
  /** The agent itself says that nobody can know whether the answer arrived. */
  readonly isUncertain?: boolean;
  /** The platform would not have the answer, by a rule of its own. */
  readonly isRefused?: boolean;
  readonly reason: string;
  readonly visible: readonly Said[];
};

async function lookUp(
  { stage, store }: LedgerParts,
  { message, account, agentId }: { readonly message: Said; readonly account: string; readonly agentId: string },
  { claims, sent }: { readonly claims: Claims; readonly sent: Sent },
): Promise<Answer> {
  const { platform } = stage;
  const memoryId = messageMemoryId({ platform, account, room: message.room, message: message.id });
  const row = await store.inbox.find(agentId, memoryId);
  const rows = sent.get(row?.runId ?? "") ?? [];
  const visible = rows.flatMap((one) => claims.of(one) ?? []);
  const common = { message, account, visible };
  if (!row) return { ...common, fate: "unheard", reason: "it was not heard" };
  const { outcome, reason = "" } = row;
  switch (outcome ?? "under way") {
    case "under way":
      return { ...common, fate: "waiting", reason: "it is still worked on" };
    case "ignored":
      return { ...common, fate: "silent", reason: reason || "silence was chosen" };
    case "answered":
      if (visible.length > 0) return { ...common, fate: "answered", reason };
      return rows.some(({ delivery }) => delivery.kind === "message")
        ? { ...common, fate: "lost", reason: "it counts as answered, and no answer can be seen" }
        : { ...common, fate: "silent", reason: "it was answered by an action alone" };
    case "failed":
    case "uncertain":
    case "aborted": {
      const isUncertain = outcome === "uncertain";
      const isRefused = rows.some(({ state }) => state === "failed");
      return {
        ...common,
        isUncertain,
        isRefused,
        fate: visible.length > 0 ? "answered" : "lost",
        reason: `${outcome}: ${reason}`,
      };
    }
  }
}

type Judgement = Omit<Reckoning, "platform" | "said" | "addressed">;

function judge({ stage }: LedgerParts, answers: readonly Answer[], left: readonly Said[]): Judgement {
  const repeats = left.map((extra) => ({ extra, of: answers.find((answer) => isRepeat(extra, answer)) }));
  const doubled = new Set(repeats.flatMap(({ of }) => of ?? []));
  const rest = Map.groupBy(
    answers.filter((answer) => !doubled.has(answer)),
    ({ fate }) => fate,
  );
  const hidden = stage.hiddenArrivals();
  const verdicts = (fate: Answer["fate"]): readonly Verdict[] =>
    (rest.get(fate) ?? []).map(({ message, reason, isUncertain = false, isRefused = false }) => ({
      ...placed(message),
      reason,
      isExcused: isRefused || (isUncertain && hidden > 0),
    }));
  const cutOff = `${stage.title} cannot say whether a message arrived whose answer was cut off`;
  const rooms = new Set(answers.flatMap(({ fate, message }) => (fate === "unheard" ? [] : [message.room])));
  return {
    once: rest.get("answered")?.length ?? 0,
    twice: [...doubled].map(({ message }, index) => {
      const isExcused = index < hidden;
      return { ...placed(message), reason: isExcused ? cutOff : "it was answered twice", isExcused };
    }),
    never: [
      ...verdicts("lost"),
      ...(rest.get("unheard") ?? []).map(({ message, reason }) => {
        const isExcused = !stage.tellsFirstWords && message.isDirect && !rooms.has(message.room);
        const untold = `${stage.title} tells nobody of first words in private that were said while the session was gone`;
        return { ...placed(message), reason: isExcused ? untold : reason, isExcused };
      }),
    ],
    silent: verdicts("silent"),
    waiting: verdicts("waiting"),
    unexplained: repeats.flatMap(({ extra, of }) =>
      of
        ? []
        : [{ ...placed(extra), reason: "nothing that was sent accounts for it", isExcused: doubled.size < hidden }],
    ),
  };
}

function placed({ place, text }: Said): Pick<Verdict, "place" | "text"> {
  return { place, text };
}

/** What nothing accounts for answers the same message, or says the same in the same room. */
function isRepeat(extra: Said, { message, account, visible }: Answer): boolean {
  if (extra.account !== account) return false;
  if (extra.answers !== null && extra.answers === message.key) return true;
  return visible.some(({ room, text }) => room === extra.room && extra.text !== "" && text.startsWith(extra.text));
}
