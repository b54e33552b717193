import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Rooms } from "../store/store.ts";
import { givenRoles, type Roles } from "./roles.ts";

/** What changing a role needs. */
export type UpdateRoleParts = {
  readonly agentId: string;
  readonly roles: Roles;
  readonly rooms: Pick<Rooms, "entities">;
};

/** UPDATE_ROLE: an owner or admin of a world gives somebody else a role in it. */
export function createUpdateRole(parts: UpdateRoleParts): RegisteredAction {
  return {
    name: "UPDATE_ROLE",
    similes: ["CHANGE_ROLE", "SET_ROLE"],
    description: "Give somebody a role in this server, when its owner or an admin asks for it.",
    parameters: [
      {
        name: "entity",
        description: "Id of the person whose role changes",
        required: true,
        schema: { type: "string" },
      },
      { name: "role", description: "The new role", required: true, schema: { type: "string", enum: [...givenRoles] } },
    ],
    validate: async ({ room }) =>
      room.world ? { pass: true } : { pass: false, reason: "this room belongs to no server, so there are no roles." },
    run: (call) => updateRole(call, parts),
  };
}

async function updateRole(
  { message, room, parameters }: ActionCall,
  { agentId, roles, rooms }: UpdateRoleParts,
): Promise<ActionResult> {
  const { world } = room;
  if (!world) return { success: false, error: "This room belongs to no server, so there are no roles." };
  const wanted = String(parameters["entity"]);
  const role = givenRoles.find((known) => known === parameters["role"]);
  const [asking, target] = await findBoth(message.entityId, wanted, { agentId, rooms });
  if (!asking || !target || !role) return { success: false, error: `Nobody with the id ${wanted} is known here.` };
  const asker = await roles.roleOf(world, asking);
  if (asker !== "owner" && asker !== "admin")
    return { success: false, error: "Only an owner or admin may change roles." };
  if ((await roles.roleOf(world, target)) === "owner")
    return { success: false, error: "An owner's role cannot be changed." };
  await roles.give(world, target.id, role);
  return { success: true, text: `${target.name} is ${role === "none" ? "without a role" : `a ${role}`} now.` };
}

type Found = { readonly id: string; readonly platformId: string; readonly name: string } | undefined;

async function findBoth(
  asking: string,
  wanted: string,
  { agentId, rooms }: Pick<UpdateRoleParts, "agentId" | "rooms">,
): Promise<[Found, Found]> {
  const found = await rooms.entities(agentId, [asking, wanted]);
  return [found.find(({ id }) => id === asking), found.find(({ id }) => id === wanted)];
}
