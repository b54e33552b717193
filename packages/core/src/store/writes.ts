import type { Memory } from "../memory/memory.ts";
import type { Delivery, DeliveryState } from "../outbox/delivery.ts";
import type { Entity, Room, RoomStance, World } from "../room/room.ts";
import type { Part } from "../run/entry.ts";
import type { JobToDo } from "./jobs.ts";

/**
 * One change of a transaction. A transaction is a list of these, all or none; no code of ours runs inside it.
 * Every `put` is idempotent: the first one wins for memories, deliveries, parts and jobs, the last one for worlds, rooms, entities.
 */
export type Write =
  | { readonly type: "world.put"; readonly world: World }
  | { readonly type: "room.put"; readonly room: Room }
  | { readonly type: "room.stance"; readonly roomId: string; readonly stance: RoomStance }
  | { readonly type: "entity.put"; readonly entity: Entity }
  | { readonly type: "memory.put"; readonly memory: Memory }
  | { readonly type: "memory.remove"; readonly id: string }
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
