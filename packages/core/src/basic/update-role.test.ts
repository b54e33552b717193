import { describe, expect, it } from "vitest";
import type { ActionCall, ActionResult } from "../action/action.ts";
import type { Entity, World } from "../room/room.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createRoles } from "./roles.ts";
import { createUpdateRole } from "./update-role.ts";

const agentId = "agent";
const about = { platform: "test", account: "bot" };
const world: World = { id: "w", ...about, platformId: "guild", data: { ownerId: "olga" } };
const person = (name: string): Entity => ({ id: `id-${name}`, ...about, platformId: name, name });
const everybody = ["olga", "bo", "eve"].map(person);

async function scene() {
  const store = createMemoryStore();
  await store.admin.write(agentId, [
    { type: "world.put", world },
    ...everybody.map((entity) => ({ type: "entity.put", entity }) as const),
  ]);
  const roles = createRoles({ agentId, keyValues: store.keyValues });
  const action = createUpdateRole({ agentId, roles, rooms: store.rooms });
  if (!("run" in action)) throw new Error("UPDATE_ROLE has no handler");
  const { run } = action;
  const ask = (by: string, entity: string, role: string): Promise<ActionResult> =>
    // Only what the action looks at.
    run({
      message: { entityId: `id-${by}` },
      room: { world },
      parameters: { entity: `id-${entity}`, role },
    } as unknown as ActionCall);
  return { ask, roleOf: (name: string) => roles.roleOf(world, person(name)) };
}

describe("UPDATE_ROLE", () => {
  it("lets an owner make an admin, who may go on", async () => {
    const { ask, roleOf } = await scene();
    expect(await ask("olga", "bo", "admin")).toMatchObject({ success: true });
    expect(await ask("bo", "eve", "none")).toMatchObject({ success: true });
    expect([await roleOf("olga"), await roleOf("bo"), await roleOf("eve")]).toEqual(["owner", "admin", "none"]);
  });

  it("refuses everybody else, and never touches an owner", async () => {
    const { ask, roleOf } = await scene();
    expect(await ask("eve", "eve", "admin")).toMatchObject({
      success: false,
      error: expect.stringContaining("Only an owner"),
    });
    expect(await ask("olga", "olga", "none")).toMatchObject({
      success: false,
      error: expect.stringContaining("owner's role"),
    });
    expect(await ask("olga", "nobody", "admin")).toMatchObject({
      success: false,
      error: expect.stringContaining("id-nobody"),
    });
    expect([await roleOf("eve"), await roleOf("olga")]).toEqual(["member", "owner"]);
  });
});
