import { errorMessage } from "@troupe/core/errors";

/** Why a program ends before it is done. */
export type StopReason =
  | { readonly type: "signal"; readonly signal: StopSignal }
  | { readonly type: "defect"; readonly error: unknown };

/**
 * The life of a program that goes on until it is told to end: running → stopping (once) → closed. What was opened is closed
 * in reverse order, within a bound of time. A second signal ends the process at once.
 */
export type Life = {
  /** Aborts when the program is to end before it is done. */
  readonly stopping: AbortSignal;
  /** Why it stops; absent while it runs and when it was simply done. */
  reason(): StopReason | undefined;
  /** Asks the program to end, as a signal would. */
  stop(reason: StopReason): void;
  /** Remembers how to close something that was opened just now. */
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Closes everything, latest first; what fails or takes too long is told to `report` and does not keep the rest open. */
  close(): Promise<void>;
};

/** What a life hears of. */
type LifeEvent = StopSignal | "uncaughtException" | "unhandledRejection";

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The part of a process a life listens to. */
type LivingProcess = {
  on(event: LifeEvent, listener: (what: unknown) => void): unknown;
  off(event: LifeEvent, listener: (what: unknown) => void): unknown;
  exit(code: number): void;
};

/** What a life is made of. */
export type LifeParts = {
  readonly process: LivingProcess;
  /** Told what went wrong at the end of things. */
  readonly report: (message: string, error?: unknown) => void;
  /** From the moment it stops; then the process ends whatever is still open. */
  readonly closeWithinMs: number;
  /** Milliseconds of any steady clock. */
  readonly now: () => number;
};

/** Ctrl-C reaches every process of a terminal, and launchers pass it on once more: what comes so close is one signal. */
const sameSignalMs = 300;

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Readonly<Record<StopSignal, number>>;
const signals: readonly StopSignal[] = ["SIGHUP", "SIGINT", "SIGTERM"];
const defects = ["uncaughtException", "unhandledRejection"] as const;

/** What a process that was ended by a reason exits with. */
export function exitCodeOf(reason: StopReason): number {
  return reason.type === "signal" ? exitCodes[reason.signal] : 1;
}

/** Begins to listen to signals and to defects nobody caught. */
export function beginLife({ process, report, closeWithinMs, now }: LifeParts): Life {
  const stopping = new AbortController();
  const closers: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let reason: StopReason | undefined;
  let stoppedAt = 0;
  let deadline: NodeJS.Timeout | undefined;

  const stop = (why: StopReason): void => {
    if (stopping.signal.aborted) return;
    reason = why;
    stoppedAt = now();
    stopping.abort(why);
    deadline = setTimeout(() => {
      report(`not everything could be closed within ${closeWithinMs} ms; what is under way goes on at the next start`);
      process.exit(exitCodeOf(why));
    }, closeWithinMs);
    deadline.unref();
  };
  const onSignal = (signal: StopSignal): void => {
    if (!stopping.signal.aborted) return stop({ type: "signal", signal });
    if (now() - stoppedAt > sameSignalMs) process.exit(exitCodes[signal]);
  };
  const signalListeners = signals.map((signal) => [signal, () => onSignal(signal)] as const);
  const onDefect = (error: unknown): void => {
    report(`a defect: ${errorMessage(error)}; please report it with the output of --log-level debug`, error);
    stop({ type: "defect", error });
  };
  const listeners = [...signalListeners, ...defects.map((defect) => [defect, onDefect] as const)];
  for (const [event, listener] of listeners) process.on(event, listener);

  return {
    stopping: stopping.signal,
    reason: () => reason,
    stop,
    onClose(name, close) {
      closers.push({ name, close });
    },
    async close() {
      for (const { name, close } of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          report(`${name} could not be closed: ${errorMessage(error)}`, error);
        }
      }
      clearTimeout(deadline);
      for (const [event, listener] of listeners) process.off(event, listener);
    },
  };
}
