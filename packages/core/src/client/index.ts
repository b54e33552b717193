export { createClientState } from "./client-state.ts";
export { createRoomQueues, type RoomQueues } from "./room-queues.ts";
