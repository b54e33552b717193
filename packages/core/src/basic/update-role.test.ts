import { describe, expect, it } from "vitest";
import type { ActionCall, ActionResult } from "../action/action.ts";
import type { Memory } from "../memory/memory.ts";
import { entityIdOf, roomIdOf } from "../memory/message-id.ts";
import type { Entity, Room, World } from "../room/room.ts";
import type { Write } from "../store/writes.ts";
import { createMemoryStore } from "../testing/memory-store.ts";
import { createRoles } from "./roles.ts";
import { createUpdateRole } from "./update-role.ts";

const agentId = "agent";
const about = { platform: "test", account: "bot" };
const world: World = { id: "w", ...about, platformId: "guild", data: { ownerId: "olga", adminIds: ["ann"] } };
const room: Room = {
  id: roomIdOf("test", "bot", "hall"),
  worldId: "w",
  ...about,
  platformId: "hall",
  channelType: "group",
};

type Somebody = { readonly platformId: string; readonly name: string; readonly username?: string };
const everybody: readonly Somebody[] = [
  { platformId: "olga", name: "Olga" },
  { platformId: "ann", name: "Ann" },
  { platformId: "41", name: "Bo B.", username: "bo_builds" },
  { platformId: "42", name: "Eve" },
  { platformId: "43", name: "eve" },
];
const entityOf = ({ platformId, name, username }: Somebody): Entity => ({
  id: entityIdOf("test", "bot", platformId),
  ...about,
  platformId,
  name,
  ...(username !== undefined && { data: { username } }),
});
const idOf = (platformId: string): string => entityIdOf("test", "bot", platformId);

async function scene() {
  const store = createMemoryStore();
  await store.admin.write(agentId, [
    { type: "world.put", world },
    { type: "room.put", room },
    ...everybody.flatMap((somebody): Write[] => [
      { type: "entity.put", entity: entityOf(somebody) },
      { type: "memory.put", memory: said(somebody) },
    ]),
  ]);
  const roles = createRoles({ agentId, keyValues: store.keyValues, rooms: store.rooms });
  const action = createUpdateRole({ agentId, roles, rooms: store.rooms });
  if (!("run" in action)) throw new Error("UPDATE_ROLE has no handler");
  const { run } = action;
  const ask = (by: string, entity: string, role: string): Promise<ActionResult> =>
    // Only what the action looks at.
    run({
      message: { entityId: idOf(by) },
      room: { room, world },
      parameters: { entity, role },
    } as unknown as ActionCall);
  const roleOf = async (platformId: string): Promise<string> =>
    (await roles.ranksIn(world)).rankOf({ id: idOf(platformId), platformId });
  return { ask, roleOf, roles };
}

const said = ({ platformId }: Somebody): Memory => ({
  id: `said-${platformId}`,
  agentId,
  roomId: room.id,
  entityId: idOf(platformId),
  type: "message",
  content: { text: "hello" },
  createdAt: 0,
});

describe("UPDATE_ROLE", () => {
  it("lets an owner make an admin, who may go on", async () => {
    const { ask, roleOf } = await scene();
    expect(await ask("olga", "Bo B.", "admin")).toEqual({ success: true, text: "Bo B. is an admin now." });
    expect(await ask("41", "ann", "none")).toMatchObject({ success: true });
    expect([await roleOf("olga"), await roleOf("41"), await roleOf("ann")]).toEqual(["owner", "admin", "none"]);
  });

  it.each(["bo b.", "@Bo B.", "<@41>", "<@!41>", "41", idOf("41"), "@bo_builds", " BO_BUILDS "])(
    "knows who is meant by %s",
    async (wanted) => {
      const { ask, roleOf } = await scene();
      expect(await ask("olga", wanted, "admin")).toMatchObject({ success: true });
      expect(await roleOf("41")).toBe("admin");
    },
  );

  it("asks who is meant when two have the name", async () => {
    const { ask } = await scene();
    expect(await ask("olga", "EVE", "admin")).toEqual({
      success: false,
      error: expect.stringMatching(/^EVE could be: (Eve \(id 42\), eve \(id 43\)|eve \(id 43\), Eve \(id 42\))\./),
    });
  });

  it("takes whom the platform names as admin for one", async () => {
    const { ask } = await scene();
    expect(await ask("ann", "41", "admin")).toMatchObject({ success: true });
  });

  it("refuses everybody else, and never touches an owner", async () => {
    const { ask, roleOf } = await scene();
    expect(await ask("42", "42", "admin")).toMatchObject({
      success: false,
      error: expect.stringContaining("Only an owner"),
    });
    expect(await ask("olga", "olga", "none")).toMatchObject({
      success: false,
      error: expect.stringContaining("their own role"),
    });
    expect(await ask("ann", "olga", "none")).toMatchObject({
      success: false,
      error: expect.stringContaining("owner's role"),
    });
    expect(await ask("ann", "ann", "none")).toMatchObject({
      success: false,
      error: expect.stringContaining("their own role"),
    });
    expect(await ask("ann", "ann", "owner")).toMatchObject({
      success: false,
      error: expect.stringContaining("There is no role owner"),
    });
    expect(await ask("olga", "nobody", "admin")).toMatchObject({
      success: false,
      error: expect.stringContaining("nobody"),
    });
    expect([await roleOf("42"), await roleOf("olga"), await roleOf("ann")]).toEqual(["member", "owner", "admin"]);
  });

  it("lets an admin raise others to what they are themselves, and no further", async () => {
    const { ask, roleOf } = await scene();
    expect(await ask("ann", "41", "owner")).toMatchObject({ success: false });
    expect(await roleOf("41")).toBe("member");
    expect(await ask("ann", "41", "admin")).toMatchObject({ success: true });
    expect(await roleOf("41")).toBe("admin");
  });

  it("keeps what two give at the same time", async () => {
    const { roles, roleOf } = await scene();
    await Promise.all(["41", "42", "43"].map((platformId) => roles.give(world, idOf(platformId), "admin")));
    expect(await Promise.all(["41", "42", "43"].map(roleOf))).toEqual(["admin", "admin", "admin"]);
  });

  it("names the owner first among those who lead", async () => {
    const { roles } = await scene();
    await roles.give(world, idOf("41"), "admin");
    const leaders = await (await roles.ranksIn(world)).leaders(8);
    expect(leaders.map(({ person, rank }) => `${person.name}: ${rank}`)).toEqual([
      "Olga: owner",
      "Ann: admin",
      "Bo B.: admin",
    ]);
  });
});
