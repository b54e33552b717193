import type { JsonObject } from "../json.ts";
import type { Content, Memory } from "../memory/memory.ts";
import type { Delivery, DeliveryState } from "../outbox/delivery.ts";
import type { Entity, Room, RoomStance, World } from "../room/room.ts";
import type { Part } from "../run/entry.ts";
import type { JobToDo } from "./jobs.ts";
import type { Relationship } from "./relationships.ts";
import type { Task } from "./tasks.ts";

/**
 * One change of a transaction. A transaction is a list of these, all or none; no code of ours runs inside it.
 * Every `put` is idempotent: the first one wins for memories, deliveries, parts and jobs, the last one for worlds, rooms, entities,
 * relationships and tasks.
 */
export type Write =
  | { readonly type: "world.put"; readonly world: World }
  | { readonly type: "room.put"; readonly room: Room }
  | { readonly type: "room.stance"; readonly roomId: string; readonly stance: RoomStance }
  | { readonly type: "entity.put"; readonly entity: Entity }
  | { readonly type: "memory.put"; readonly memory: Memory }
  | { readonly type: "memory.remove"; readonly id: string }
  /** Replaces what a memory says, what is kept with it, or both; it is searched and embedded anew. One that is gone stays gone. */
  | { readonly type: "memory.edit"; readonly id: string; readonly content?: Content; readonly metadata?: JsonObject }
  /**
   * A room whose platform gave it another id: what lies in the old one lies in this one from now on, and whatever names the old one
   * means this one. A context that is held, or whose run is not over, goes on under the old id until it is done.
   */
  | { readonly type: "room.move"; readonly fromRoomId: string; readonly room: Room }
  /** Replaces the tags and data between two entities; tags are sorted and put in lower case. */
  | { readonly type: "relationship.put"; readonly relationship: Relationship }
  | { readonly type: "relationship.remove"; readonly fromId: string; readonly toId: string }
  /** Replaces the task of this id. */
  | { readonly type: "task.put"; readonly task: Task }
  | { readonly type: "task.remove"; readonly id: string }
  | { readonly type: "part.put"; readonly part: Part }
  /** A new delivery; `isOpen` when its text is still being streamed. */
  | {
      readonly type: "delivery.put";
      readonly delivery: Delivery;
      readonly state: DeliveryState;
      readonly isOpen: boolean;
    }
  | {
      readonly type: "delivery.set";
      readonly key: string;
      readonly state: DeliveryState;
      /** Adds one to `attempts`. */
      readonly isAttempt?: boolean;
      /** Replaces the text and closes a streamed delivery. */
      readonly text?: string;
      readonly platformId?: string;
      readonly error?: string;
    }
  | { readonly type: "job.put"; readonly job: JobToDo };
