import type { Clock } from "../clock.ts";

/** What is paid for. */
export type PriceKind =
  | "post-read"
  | "user-read"
  | "follow-read"
  | "direct-read"
  | "media-read"
  | "owned-read"
  | "post-create"
  | "post-create-with-link"
  | "direct-create"
  | "interaction-create"
  | "interaction-delete"
  | "content-manage"
  | "bookmark"
  | "media-metadata"
  | "privacy-update"
  | "mute-delete";

/** US dollars for one. @see https://docs.x.com/x-api/getting-started/pricing */
const documentedPrices: Readonly<Record<PriceKind, number>> = {
  "post-read": 0.005,
  "user-read": 0.01,
  "follow-read": 0.01,
  "direct-read": 0.01,
  "media-read": 0.005,
  "owned-read": 0.001,
  "post-create": 0.015,
  "post-create-with-link": 0.2,
  "direct-create": 0.015,
  "interaction-create": 0.015,
  "interaction-delete": 0.01,
  "content-manage": 0.005,
  bookmark: 0.005,
  "media-metadata": 0.005,
  "privacy-update": 0.01,
  "mute-delete": 0.005,
};

/** One thing that was paid for. */
export type Charge = {
  readonly kind: PriceKind;
  /** What was read; absent for a request that is paid for as such. */
  readonly resource?: string;
  readonly endpoint: string;
  readonly appId: string;
  readonly atMs: number;
  readonly costUsd: number;
};

/** What the apps have spent. */
export type Meter = {
  /** Everything, rounded to a hundredth of a cent. */
  readonly totalUsd: number;
  readonly charges: readonly Charge[];
  /** The sum by kind. */
  byKind(): Readonly<Partial<Record<PriceKind, number>>>;
  /** How many posts an app has read in this month (UTC). */
  postsReadThisMonth(appId: string): number;
  /** Forgets everything. */
  reset(): void;
};

/** Something to be paid for. */
type Payable = Omit<Charge, "atMs" | "costUsd">;

/** A meter that also takes. */
export type TakingMeter = Meter & { charge(payable: Payable): void };

/** Makes a meter. The same resource costs once a day (UTC) and app, as X has it. */
export function createMeter(clock: Clock, overrides: Partial<Record<PriceKind, number>> = {}): TakingMeter {
  const prices = { ...documentedPrices, ...overrides };
  let charges: Charge[] = [];
  let paid = new Set<string>();
  return {
    get totalUsd() {
      return sum(charges);
    },
    get charges() {
      return charges;
    },
    byKind: () => {
      const kinds = [...new Set(charges.map(({ kind }) => kind))];
      return Object.fromEntries(kinds.map((kind) => [kind, sum(charges.filter((one) => one.kind === kind))]));
    },
    postsReadThisMonth: (appId) => {
      const month = monthOf(clock.now());
      return charges.filter(
        (one) => one.appId === appId && one.resource?.startsWith("post ") && monthOf(one.atMs) === month,
      ).length;
    },
    charge(payable) {
      const atMs = clock.now();
      if (payable.resource !== undefined) {
        const key = `${payable.appId} ${new Date(atMs).toISOString().slice(0, 10)} ${payable.resource}`;
        if (paid.has(key)) return;
        paid.add(key);
      }
      charges.push({ ...payable, atMs, costUsd: prices[payable.kind] });
    },
    reset() {
      charges = [];
      paid = new Set();
    },
  };
}

function sum(charges: readonly Charge[]): number {
  return Math.round(charges.reduce((total, { costUsd }) => total + costUsd, 0) * 10_000) / 10_000;
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
