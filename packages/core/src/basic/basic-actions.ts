import type { RegisteredAction } from "../action/action.ts";
import { builtInActions } from "../action/built-in-actions.ts";
import type { Store } from "../store/store.ts";
import type { Roles } from "./roles.ts";
import { createRoomActions } from "./room-actions.ts";
import { createSendMessage } from "./send-message.ts";
import { basicSocialActions } from "./social-actions.ts";
import { createUpdateRole } from "./update-role.ts";

/** What the basic actions work with. */
export type BasicParts = {
  readonly agentId: string;
  readonly store: Pick<Store, "admin" | "rooms">;
  readonly roles: Roles;
};

/** The actions every agent has, unless something of the same name takes their place; in the order the prompt shows them. */
export function basicActions({ agentId, store, roles }: BasicParts): readonly RegisteredAction[] {
  return [
    ...builtInActions,
    ...basicSocialActions,
    ...createRoomActions({ agentId, admin: store.admin }),
    createUpdateRole({ agentId, roles, rooms: store.rooms }),
    createSendMessage({ agentId, rooms: store.rooms }),
  ];
}
