import { describe, expect, it } from "vitest";
import type { Occasion, RegisteredAction, Verdict } from "../action/action.ts";
import { createSetClock } from "../testing/set-clock.ts";
import { actionsText, offerActions } from "./offer-actions.ts";

// No action here looks at the occasion.
const occasion = {} as Occasion;

const action = (name: string, validate?: () => Promise<Verdict>): RegisteredAction => ({
  name,
  description: `Does ${name}.`,
  similes: [],
  ...(validate && { validate }),
  run: async () => ({ success: true }),
});

describe("offerActions", () => {
  it("leaves out what says no, throws, or takes longer than two seconds, and waits no longer", async () => {
    const clock = createSetClock();
    const offering = offerActions(
      [
        action("YES", async () => ({ pass: true })),
        action("NO", async () => ({ pass: false })),
        action("THROWS", () => Promise.reject(new Error("broken"))),
        action("LATE", () => new Promise(() => undefined)),
        action("ALWAYS"),
      ],
      occasion,
      clock,
    );
    await clock.advance(2_000);
    expect((await offering).map(({ name }) => name)).toEqual(["YES", "ALWAYS"]);
    expect(clock.sleepers()).toBe(0);
  });

  it("sets no timer where nothing is asked, and leaves none behind", async () => {
    const clock = createSetClock();
    await offerActions([action("ALWAYS")], occasion, clock);
    await offerActions([action("YES", async () => ({ pass: true }))], occasion, clock);
    expect(clock.sleepers()).toBe(0);
  });

  it("gives the same list again while the answers are the same, and so the same text", async () => {
    let isOpen = true;
    const actions = [action("ALWAYS"), action("SOMETIMES", async () => ({ pass: isOpen }))];
    const [first, second] = [
      await offerActions(actions, occasion, createSetClock()),
      await offerActions(actions, occasion, createSetClock()),
    ];
    expect(second).toBe(first);
    isOpen = false;
    const closed = await offerActions(actions, occasion, createSetClock());
    expect(actionsText(closed)).toBe("# Actions\n- ALWAYS: Does ALWAYS.");
    expect(actionsText(first)).toContain("SOMETIMES");
  });
});
