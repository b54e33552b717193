import type { TwitterSimulator } from "@troupe/simulator-twitter";
import { pickOne } from "./stage.ts";

type Disturbance = readonly [what: string, disturb: (simulator: TwitterSimulator) => void];

const posts = "POST /2/tweets";
const mentions = "GET /2/users/*/mentions";
const unavailable = { status: 503, body: { title: "Service Unavailable", status: 503 } } as const;

const disturbances: readonly Disturbance[] = [
  [
    "the next post is answered with 503, and lost",
    ({ faults }) => faults.add({ match: posts, fault: { type: "answer", answer: unavailable } }),
  ],
  [
    "the next post is published, and answered with 503",
    ({ faults }) => faults.add({ match: posts, fault: { type: "answer", answer: unavailable, isApplied: true } }),
  ],
  [
    "the connection is cut after the next post was published",
    ({ faults }) => faults.add({ match: posts, fault: { type: "drop", when: "after" } }),
  ],
  [
    "the next look at the mentions is answered with 503",
    ({ faults }) => faults.add({ match: mentions, fault: { type: "answer", answer: unavailable } }),
  ],
  ["every connection is cut", (simulator) => simulator.cut()],
];

/** Lets something go wrong on X, in the place of what has not gone wrong yet, and says what. */
export function disturbTwitter(simulator: TwitterSimulator, random: () => number): string {
  simulator.faults.clear();
  const [what, disturb] = pickOne(random, disturbances);
  disturb(simulator);
  return what;
}
