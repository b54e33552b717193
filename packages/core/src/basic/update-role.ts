import type { ActionCall, ActionResult, RegisteredAction } from "../action/action.ts";
import type { Entity, World } from "../room/room.ts";
import { type FindPersonParts, type FoundPerson, findPerson } from "./find-person.ts";
import { givenRoles, type Roles } from "./roles.ts";

/** What changing a role needs. */
export type UpdateRoleParts = FindPersonParts & { readonly roles: Roles };

/** UPDATE_ROLE: an owner or admin of a world gives somebody else a role in it. */
export function createUpdateRole(parts: UpdateRoleParts): RegisteredAction {
  return {
    name: "UPDATE_ROLE",
    similes: ["CHANGE_ROLE", "SET_ROLE"],
    description: "Give somebody a role in this server, when its owner or an admin asks for it.",
    parameters: [
      {
        name: "entity",
        description: "Name, mention or id of the person whose role changes",
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

const refused = (error: string): ActionResult => ({ success: false, error });

async function updateRole(call: ActionCall, parts: UpdateRoleParts): Promise<ActionResult> {
  const { message, room, parameters } = call;
  const { world } = room;
  if (!world) return refused("This room belongs to no server, so there are no roles.");
  const wanted = String(parameters["entity"]);
  const [asking, found] = await Promise.all([
    parts.rooms.entities(parts.agentId, [message.entityId]),
    findPerson(wanted, room.room, parts),
  ]);
  const [asker] = asking;
  if (found.type !== "found") return refused(notFound(wanted, found));
  if (!asker) return refused("Nobody knows who asks for this, so no role was changed.");
  return change(call, { world, asker, target: found.person, roles: parts.roles });
}

function notFound(wanted: string, found: Exclude<FoundPerson, { type: "found" }>): string {
  if (found.type === "unknown")
    return `Nobody called ${wanted} has spoken here; use the name others see, or a mention.`;
  const names = found.candidates.map(({ name, platformId }) => `${name} (id ${platformId})`).join(", ");
  return `${wanted} could be: ${names}. Ask who is meant, and use the id.`;
}

type Change = { readonly world: World; readonly asker: Entity; readonly target: Entity; readonly roles: Roles };

async function change({ parameters }: ActionCall, { world, asker, target, roles }: Change): Promise<ActionResult> {
  const role = givenRoles.find((known) => known === parameters["role"]);
  if (!role) return refused(`There is no role ${String(parameters["role"])}; there are ${givenRoles.join(", ")}.`);
  const ranks = await roles.ranksIn(world);
  const rank = ranks.rankOf(asker);
  if (rank !== "owner" && rank !== "admin") return refused("Only an owner or admin may change roles.");
  if (target.id === asker.id) return refused("Nobody changes their own role; ask another owner or admin.");
  if (ranks.rankOf(target) === "owner") return refused("An owner's role cannot be changed.");
  await roles.give(world, target.id, role);
  return { success: true, text: `${target.name} is ${phrases[role]} now.` };
}

const phrases = { admin: "an admin", member: "a member", none: "without a role" } as const;
