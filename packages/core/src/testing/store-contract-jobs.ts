import fc from "fast-check";
import { expect, it } from "vitest";
import { roomIdOf } from "../memory/message-id.ts";
import { doneJobsKeptMs, type JobLease, type JobState, type JobToDo } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import type { Write } from "../store/writes.ts";
import { createInbound } from "./create-inbound.ts";

/** One test of jobs, with a store and two agents nobody else uses. The clock starts at 1000. */
export type JobTest = (bench: {
  readonly store: Store;
  readonly agentId: string;
  readonly otherAgentId: string;
  readonly clock: { now(): number; set(at: number): void };
  reopen?(): Promise<Store>;
}) => Promise<void>;

type InStore = (test: JobTest) => Promise<void>;

const later = 1_000_000;

function job(id: string, more: Partial<JobToDo> = {}): JobToDo {
  return { id, kind: "note", payload: { of: id }, runAt: 0, ...more };
}

function put(...jobs: readonly JobToDo[]): Write[] {
  return jobs.map((one) => ({ type: "job.put", job: one }));
}

async function claim(store: Store, agentId: string, more: { now?: number; limit?: number; kinds?: string[] } = {}) {
  return store.jobs.claim(agentId, "process-1", { now: later, limit: 99, ...more });
}

async function claimOne(store: Store, agentId: string, now = later): Promise<JobLease> {
  const [lease, ...others] = await claim(store, agentId, { now });
  if (!lease || others.length > 0) throw new Error(`${others.length + (lease ? 1 : 0)} jobs were claimed, not one`);
  return lease;
}

function ids(leases: readonly JobLease[]): readonly string[] {
  return leases.map(({ fence: { id } }) => id);
}

async function listed(store: Store, agentId: string, states?: readonly JobState[]): Promise<readonly string[]> {
  const rows = await store.jobs.list(agentId, { limit: 99, ...(states && { states }) });
  return rows.map(({ id }) => id);
}

/** What every store must keep about jobs; a part of `storeContract`. */
export function describeJobs({ shared: inStore, own }: { readonly shared: InStore; readonly own: InStore }): void {
  describePutting(inStore);
  describeClaiming(inStore);
  describeQueues(inStore);
  describeEnds(inStore);
  describeDeath({ shared: inStore, own });
}

function describePutting(inStore: InStore): void {
  it("keeps a job as it was put and tells where it stands", () =>
    inStore(async ({ store, agentId, clock }) => {
      const payload = { text: "東京\u0000\ud83d", n: [1, null, { deep: true }], absent: undefined };
      await store.admin.write(agentId, put(job("a", { runAt: 5000, payload, queue: "q" })));
      const kept = { ...job("a", { runAt: 5000, queue: "q" }), payload: { text: "東京\u0000\ufffd", n: payload.n } };
      const row = { ...kept, state: "waiting", dueAt: 5000, attempts: 0, createdAt: 1000, updatedAt: 1000 };
      expect(await store.jobs.list(agentId, { limit: 9 })).toEqual([row]);
      clock.set(6000);
      const lease = await claimOne(store, agentId);
      expect(lease).toEqual({ fence: { agentId, id: "a", epoch: 1 }, job: kept, attempts: 1 });
      const running = { ...row, state: "running", attempts: 1, owner: "process-1", updatedAt: 6000 };
      expect(await store.jobs.list(agentId, { limit: 9 })).toEqual([running]);
    }));

  it("takes the first job of an id, whatever state it is in", () =>
    inStore(async ({ store, agentId }) => {
      const again = put(job("a", { kind: "other", runAt: 7 }));
      await store.admin.write(agentId, [...put(job("a")), ...again]);
      await store.admin.write(agentId, again);
      const { fence, job: claimed } = await claimOne(store, agentId);
      expect(claimed).toEqual(job("a"));
      await store.admin.write(agentId, again);
      await store.jobs.finish(fence, { type: "dead", error: "no" });
      await store.admin.write(agentId, again);
      expect(await listed(store, agentId)).toEqual(["a"]);
      expect(await claim(store, agentId)).toEqual([]);
    }));

  it("remembers the id of a done or removed job for as long as it promises, and then takes it anew", () =>
    inStore(async ({ store, agentId, clock }) => {
      await store.admin.write(agentId, put(job("done"), job("removed")));
      await store.jobs.remove(agentId, "removed");
      const { fence } = await claimOne(store, agentId);
      await store.jobs.finish(fence, { type: "done" });
      clock.set(1000 + doneJobsKeptMs - 1);
      await store.admin.write(agentId, put(job("done"), job("removed")));
      expect(await listed(store, agentId)).toEqual([]);
      expect(await claim(store, agentId)).toEqual([]);
      clock.set(1000 + doneJobsKeptMs);
      await store.admin.write(agentId, put(job("removed"), job("done")));
      expect(await listed(store, agentId)).toEqual(["removed", "done"]);
      expect(ids(await claim(store, agentId))).toEqual(["removed", "done"]);
    }));

  it("forgets done jobs' ids in the end, and only those whose time is over", () =>
    inStore(async ({ store, agentId, clock }) => {
      const finishAll = async (): Promise<void> => {
        for (const { fence } of await claim(store, agentId)) await store.jobs.finish(fence, { type: "done" });
      };
      await store.admin.write(agentId, put(job("old 1"), job("old 2")));
      await finishAll();
      clock.set(2000);
      await store.admin.write(agentId, put(job("young")));
      await finishAll();
      clock.set(1000 + doneJobsKeptMs);
      await store.admin.write(agentId, put(job("new")));
      await finishAll();
      await store.admin.write(agentId, put(job("old 1"), job("old 2"), job("young"), job("new")));
      expect(await listed(store, agentId)).toEqual(["old 1", "old 2"]);
    }));

  it("puts a job together with a run's end, or neither", () =>
    inStore(async ({ store, agentId }) => {
      const hearer = { agentId, platform: "test", account: "bot" };
      const inbound = createInbound(hearer, { text: "hello", eventId: "1", room: "lobby" });
      const accepted = await store.inbox.accept(agentId, inbound, { at: 0, owner: "process-1" });
      if (accepted.type !== "accepted" || !accepted.lease) throw new Error("the room was not claimed");
      const { fence } = accepted.lease;
      const body = { type: "end", outcome: "answered" } as const;
      const end = { entries: [{ seq: 1, runId: "run-1", at: 1, body }], writes: put(job("evaluate run-1")) };
      const unknownInput = { runId: "run-1", seqs: [9], outcome: "answered" } as const;
      await expect(store.journal.append(fence, { ...end, done: unknownInput })).rejects.toMatchObject({
        code: "invalid",
      });
      expect(await listed(store, agentId)).toEqual([]);
      expect(await store.journal.append(fence, { ...end, done: { ...unknownInput, seqs: [1] } })).toBeNull();
      expect(await listed(store, agentId)).toEqual(["evaluate run-1"]);
      await expect(store.journal.append(fence, end)).rejects.toMatchObject({ code: "conflict" });
      expect((await store.journal.run(agentId, "run-1"))?.contextId).toBe(roomIdOf("test", "bot", "lobby"));
    }));

  it("refuses a job without a kind or with a time that is none, and all that was to be written with it", () =>
    inStore(async ({ store, agentId }) => {
      const bad = [...[Number.NaN, 1.5, Number.POSITIVE_INFINITY].map((runAt) => ({ runAt })), { kind: "" }];
      for (const more of bad) {
        const writes = put(job("good"), job("bad", more));
        await expect(store.admin.write(agentId, writes)).rejects.toMatchObject({
          code: "invalid",
          message: expect.stringContaining("job bad"),
        });
      }
      await store.admin.write(agentId, put(job("a")));
      const { fence } = await claimOne(store, agentId);
      const never = store.jobs.finish(fence, { type: "retry", at: Number.NaN, error: "e" });
      await expect(never).rejects.toMatchObject({ code: "invalid" });
      expect(await listed(store, agentId, ["running"])).toEqual(["a"]);
    }));

  it("keeps two agents' jobs apart", () =>
    inStore(async ({ store, agentId, otherAgentId }) => {
      await store.admin.write(agentId, put(job("a", { queue: "q" })));
      await store.admin.write(otherAgentId, put(job("a", { queue: "q" })));
      const { fence } = await claimOne(store, agentId);
      expect(ids(await claim(store, otherAgentId))).toEqual(["a"]);
      expect(await store.jobs.recover(otherAgentId)).toEqual({ freed: 1 });
      await store.jobs.finish(fence, { type: "done" });
      expect(await store.jobs.remove(agentId, "a")).toBe(false);
      expect(await listed(store, otherAgentId, ["waiting"])).toEqual(["a"]);
      expect(await store.jobs.nextAt("nobody")).toEqual(new Map());
      expect(await store.jobs.list("nobody", { limit: 9 })).toEqual([]);
      expect(await claim(store, "nobody")).toEqual([]);
    }));
}

function describeClaiming(inStore: InStore): void {
  it("claims what is due, longest due first, of the kinds that are asked for", () =>
    inStore(async ({ store, agentId }) => {
      const jobs = [job("c", { runAt: 30 }), job("x", { runAt: 5, kind: "other" }), job("a", { runAt: 10 })];
      await store.admin.write(agentId, put(...jobs, job("b", { runAt: 10 }), job("d", { runAt: 31 })));
      expect(await claim(store, agentId, { now: 9, kinds: ["note"] })).toEqual([]);
      expect(await claim(store, agentId, { kinds: [] })).toEqual([]);
      expect(ids(await claim(store, agentId, { now: 30, kinds: ["note", "note"], limit: 2 }))).toEqual(["a", "b"]);
      expect(await claim(store, agentId, { now: 30, limit: 0 })).toEqual([]);
      expect(ids(await claim(store, agentId, { now: 30 }))).toEqual(["x", "c"]);
      expect(ids(await claim(store, agentId, { now: 31 }))).toEqual(["d"]);
    }));

  it("tells for each kind when the next job is due, leaving out what cannot be claimed", () =>
    inStore(async ({ store, agentId }) => {
      expect(await store.jobs.nextAt(agentId)).toEqual(new Map());
      const queued = [job("q1", { kind: "b", runAt: 70, queue: "q" }), job("q2", { kind: "c", runAt: 90, queue: "q" })];
      await store.admin.write(agentId, put(job("a1", { kind: "a", runAt: 50 }), job("a2", { kind: "a", runAt: 40 })));
      await store.admin.write(agentId, put(...queued));
      expect(await store.jobs.nextAt(agentId)).toEqual(
        new Map([
          ["a", 40],
          ["b", 70],
        ]),
      );
      const [a2] = await claim(store, agentId, { now: 40 });
      expect(await store.jobs.nextAt(agentId)).toEqual(
        new Map([
          ["a", 50],
          ["b", 70],
        ]),
      );
      if (!a2) throw new Error("nothing was claimed");
      await store.jobs.finish(a2.fence, { type: "retry", at: 45, error: "busy" });
      expect((await store.jobs.nextAt(agentId)).get("a")).toBe(45);
      for (const { fence } of await claim(store, agentId)) await store.jobs.finish(fence, { type: "dead", error: "e" });
      expect(await store.jobs.nextAt(agentId)).toEqual(new Map([["c", 90]]));
    }));

  it("hands a job out once, however many ask at once", () =>
    inStore(async ({ store, agentId }) => {
      const all = Array.from({ length: 40 }, (_, index) => job(`${index}`, { runAt: index }));
      await store.admin.write(agentId, put(...all));
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.jobs.claim(agentId, `process-${index % 2}`, { now: later, limit: 5 }),
        ),
      );
      const taken = claims.flatMap(ids);
      expect(taken.toSorted((left, right) => Number(left) - Number(right))).toEqual(all.map(({ id }) => id));
      expect(claims[0]).toHaveLength(5);
    }));

  it("lists jobs in the order of their writing, by state", () =>
    inStore(async ({ store, agentId }) => {
      const jobs = [
        job("a"),
        job("b", { runAt: later + 1, queue: "q" }),
        job("c", { runAt: 1 }),
        job("d", { queue: "q" }),
      ];
      await store.admin.write(agentId, put(...jobs));
      const [a] = await claim(store, agentId, { limit: 1 });
      if (!a) throw new Error("nothing was claimed");
      await store.jobs.finish(a.fence, { type: "dead", error: "e" });
      await claim(store, agentId, { now: 1 });
      expect(await listed(store, agentId)).toEqual(["a", "b", "c", "d"]);
      expect(await listed(store, agentId, ["waiting"])).toEqual(["b"]);
      expect(await listed(store, agentId, ["running", "dead"])).toEqual(["a", "c", "d"]);
      expect(await listed(store, agentId, [])).toEqual([]);
      expect((await store.jobs.list(agentId, { limit: 2 })).map(({ id }) => id)).toEqual(["a", "b"]);
    }));
}

function describeQueues(inStore: InStore): void {
  const queue = "room-1";

  it("does the jobs of one queue one after the other and lets other queues go on beside it", () =>
    inStore(async ({ store, agentId }) => {
      const first = [job("late", { runAt: 20, queue }), job("a", { runAt: 10, queue }), job("b", { runAt: 10, queue })];
      await store.admin.write(agentId, put(...first, job("free"), job("else", { queue: "room-2", runAt: 30 })));
      const begun = await claim(store, agentId);
      expect(ids(begun)).toEqual(["free", "a", "else"]);
      const order: string[] = [];
      for (let [, lease] = begun; lease; [lease] = await claim(store, agentId)) {
        expect(await claim(store, agentId)).toEqual([]);
        order.push(lease.fence.id);
        await store.jobs.finish(lease.fence, { type: "done" });
      }
      expect(order).toEqual(["a", "b", "late"]);
    }));

  it("lets a job that is to be tried again hold up its queue, also one that comes earlier in time", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a", { runAt: 10, queue }), job("b", { runAt: 20, queue })));
      const a = await claimOne(store, agentId);
      await store.jobs.finish(a.fence, { type: "retry", at: 5000, error: "busy" });
      expect(await claim(store, agentId, { now: 4999 })).toEqual([]);
      expect(await store.jobs.nextAt(agentId)).toEqual(new Map([["note", 5000]]));
      const again = await claimOne(store, agentId, 5000);
      expect(again).toMatchObject({ job: a.job, attempts: 2, fence: { id: "a", epoch: 2 } });
      await store.admin.write(agentId, put(job("earlier", { runAt: 5, queue })));
      expect(await claim(store, agentId)).toEqual([]);
      await store.jobs.finish(again.fence, { type: "retry", at: 6000, error: "busy" });
      expect(ids(await claim(store, agentId, { now: 5999 }))).toEqual(["earlier"]);
    }));

  it("puts a job that is due earlier before those that wait already", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a", { runAt: 20, queue }), job("b", { runAt: 30, queue })));
      await store.admin.write(agentId, put(job("c", { runAt: 10, queue })));
      expect(await store.jobs.nextAt(agentId)).toEqual(new Map([["note", 10]]));
      await store.jobs.finish((await claimOne(store, agentId, 10)).fence, { type: "done" });
      expect(await claim(store, agentId, { now: 10 })).toEqual([]);
      expect((await claimOne(store, agentId, 30)).fence.id).toBe("a");
    }));

  it("goes on behind a dead or removed job, and a revived one takes its place again", () =>
    inStore(async ({ store, agentId }) => {
      const [first, ...others] = ["a", "b", "c", "d"].map((id) => job(id, { queue }));
      if (!first) throw new Error("there is no first");
      await store.admin.write(agentId, put(first, ...others));
      await store.jobs.finish((await claimOne(store, agentId)).fence, { type: "dead", error: "e" });
      expect(await store.jobs.remove(agentId, "b")).toBe(true);
      const c = await claimOne(store, agentId);
      expect(c.fence.id).toBe("c");
      expect(await store.jobs.revive(agentId, "a")).toBe(true);
      expect(await claim(store, agentId)).toEqual([]);
      await store.jobs.finish(c.fence, { type: "done" });
      expect((await claimOne(store, agentId)).fence.id).toBe("a");
    }));

  it("keeps every queue's order whatever happens to its jobs", { timeout: 60_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ queue: fc.nat(2), runAt: fc.nat(3) }), { minLength: 1, maxLength: 25 }),
        fc.infiniteStream(fc.nat(5)),
        (plans, chance) =>
          inStore(async ({ store, agentId }) => {
            const jobs = plans.map((plan, index) => job(`${index}`, { ...plan, queue: `q${plan.queue}` }));
            await store.admin.write(agentId, put(...jobs));
            const ended = new Map<string, string[]>();
            let now = 3;
            for (;;) {
              const leases = await claim(store, agentId, { now, limit: 2 });
              if (leases.length === 0 && (await store.jobs.nextAt(agentId)).size === 0) break;
              now += 1;
              for (const { fence, job: claimed } of leases) {
                switch (chance.next().value) {
                  case 0:
                    await store.jobs.finish(fence, { type: "retry", at: now + 2, error: "e" });
                    continue;
                  case 1:
                    await store.jobs.finish(fence, { type: "released" });
                    continue;
                  case 2:
                    await store.jobs.recover(agentId);
                    break;
                  default:
                    await store.jobs.finish(fence, { type: "done" });
                    ended.set(claimed.queue ?? "", [...(ended.get(claimed.queue ?? "") ?? []), claimed.id]);
                    continue;
                }
                break;
              }
            }
            const inOrder = jobs.toSorted((left, right) => left.runAt - right.runAt);
            const expected = Map.groupBy(inOrder, ({ queue: name }) => name ?? "");
            expect(ended).toEqual(new Map([...expected].map(([name, of]) => [name, of.map(({ id }) => id)])));
          }),
      ),
      { numRuns: 15 },
    ),
  );
}

function describeEnds(inStore: InStore): void {
  it("keeps a dead job with its error until it is removed", () =>
    inStore(async ({ store, agentId, clock }) => {
      await store.admin.write(agentId, put(job("a")));
      const { fence } = await claimOne(store, agentId);
      clock.set(2000);
      await store.jobs.finish(fence, { type: "dead", error: "cut \ud83d here" });
      const [row] = await store.jobs.list(agentId, { states: ["dead"], limit: 9 });
      expect(row).toEqual({
        ...job("a"),
        state: "dead",
        dueAt: 0,
        attempts: 1,
        error: "cut \ufffd here",
        createdAt: 1000,
        updatedAt: 2000,
      });
      expect(await store.jobs.remove(agentId, "a")).toBe(true);
      expect(await store.jobs.remove(agentId, "a")).toBe(false);
      expect(await store.jobs.remove(agentId, "unknown")).toBe(false);
      expect(await listed(store, agentId)).toEqual([]);
    }));

  it("revives a dead job alone, due at once and with its attempts counted anew", () =>
    inStore(async ({ store, agentId, clock }) => {
      await store.admin.write(agentId, put(job("a"), job("waits", { runAt: later + 1 })));
      const { fence } = await claimOne(store, agentId);
      expect(await store.jobs.revive(agentId, "a")).toBe(false);
      await store.jobs.finish(fence, { type: "dead", error: "e" });
      clock.set(3000);
      expect(await store.jobs.revive(agentId, "a")).toBe(true);
      expect(await store.jobs.revive(agentId, "a")).toBe(false);
      expect(await store.jobs.revive(agentId, "waits")).toBe(false);
      expect(await store.jobs.revive(agentId, "unknown")).toBe(false);
      expect(await store.jobs.nextAt(agentId)).toEqual(new Map([["note", 3000]]));
      const again = await claimOne(store, agentId);
      expect(again).toMatchObject({ attempts: 1, job: job("a") });
      expect(again.fence.epoch).toBeGreaterThan(fence.epoch);
    }));

  it("gives a released job back as if it had not been begun", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a", { queue: "q" }), job("b", { queue: "q" })));
      const first = await claimOne(store, agentId);
      await store.jobs.finish(first.fence, { type: "released" });
      const second = await claimOne(store, agentId);
      expect(second).toMatchObject({ attempts: 1, job: first.job });
      expect(await store.jobs.list(agentId, { states: ["running"], limit: 9 })).toMatchObject([{ id: "a" }]);
    }));

  it("does not remove a job under the hands of whoever does it", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a")));
      const { fence } = await claimOne(store, agentId);
      await expect(store.jobs.remove(agentId, "a")).rejects.toMatchObject({ code: "conflict" });
      await store.jobs.finish(fence, { type: "done" });
    }));
}

function describeDeath({ shared: inStore, own }: { readonly shared: InStore; readonly own: InStore }): void {
  it("frees what a dead process ran, each queue from its first, and keeps the attempt counted", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a", { queue: "q" }), job("b", { queue: "q" }), job("c"), job("d")));
      const [, , d] = await claim(store, agentId);
      if (!d) throw new Error("nothing was claimed");
      await store.jobs.finish(d.fence, { type: "done" });
      expect(await store.jobs.recover(agentId)).toEqual({ freed: 2 });
      expect(await store.jobs.recover(agentId)).toEqual({ freed: 0 });
      const rows = await store.jobs.list(agentId, { limit: 9 });
      expect(rows.map(({ id, state, attempts }) => [id, state, attempts])).toEqual([
        ["a", "waiting", 1],
        ["b", "waiting", 0],
        ["c", "waiting", 1],
      ]);
      expect(rows.every((row) => row.owner === undefined)).toBe(true);
      const again = await claim(store, agentId);
      expect(again.map(({ fence: { id }, attempts }) => [id, attempts])).toEqual([
        ["a", 2],
        ["c", 2],
      ]);
    }));

  it("refuses the word of an owner whose job another one took over", () =>
    inStore(async ({ store, agentId }) => {
      await store.admin.write(agentId, put(job("a")));
      const zombie = await claimOne(store, agentId);
      const outcomes = [
        { type: "done" },
        { type: "dead", error: "e" },
        { type: "retry", at: 1, error: "e" },
        { type: "released" },
      ] as const;
      const refuseAll = async (): Promise<void> => {
        for (const outcome of outcomes) {
          await expect(store.jobs.finish(zombie.fence, outcome)).rejects.toMatchObject({ code: "conflict" });
        }
      };
      await store.jobs.recover(agentId);
      await refuseAll();
      const [next] = await store.jobs.claim(agentId, "process-2", { now: later, limit: 9 });
      await refuseAll();
      if (!next) throw new Error("nothing was claimed");
      expect(await store.jobs.list(agentId, { limit: 9 })).toMatchObject([{ state: "running", owner: "process-2" }]);
      await store.jobs.finish(next.fence, { type: "done" });
      await refuseAll();
      await expect(store.jobs.finish({ ...next.fence, id: "unknown" }, { type: "done" })).rejects.toMatchObject({
        code: "conflict",
      });
    }));

  it("goes on with every job after opening again where it was", () =>
    own(async ({ store, agentId, reopen, clock }) => {
      const queue = "q";
      await store.admin.write(agentId, put(job("done"), job("dead", { runAt: 1 }), job("a", { queue, runAt: 2 })));
      await store.admin.write(agentId, put(job("b", { queue, runAt: 3 }), job("later", { runAt: later + 1 })));
      const [done, dead] = await claim(store, agentId);
      if (!done || !dead) throw new Error("nothing was claimed");
      await store.jobs.finish(done.fence, { type: "done" });
      await store.jobs.finish(dead.fence, { type: "dead", error: "e" });
      const again = (await reopen?.()) ?? store;
      clock.set(2000);
      expect(await again.jobs.recover(agentId)).toEqual({ freed: 1 });
      await again.admin.write(agentId, put(job("done")));
      expect(await listed(again, agentId)).toEqual(["dead", "a", "b", "later"]);
      expect(await claimOne(again, agentId)).toMatchObject({ attempts: 2, fence: { id: "a", epoch: 2 } });
      expect(await again.admin.health({ deep: true })).toMatchObject({ ok: true });
    }));
}
