import { expect, it } from "vitest";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createClientState } from "./client-state.ts";

it("keeps the values of each account apart", async () => {
  const { keyValues } = createMemoryStore();
  const of = (account: string) => createClientState({ agentId: "agent", platform: "discord", account, keyValues });
  await of("one").set("cursor", "41");
  await of("one").set("cursor", "42");
  expect(await of("one").get("cursor")).toBe("42");
  expect(await of("two").get("cursor")).toBeNull();
  await of("one").delete("cursor");
  expect(await of("one").get("cursor")).toBeNull();
});
