export {
  type DeliverParts,
  type DeliveryStart,
  deliver,
  type Receipt,
  resumeDelivery,
} from "./deliver.ts";
export type { Delivery, DeliveryKind, DeliveryRow, DeliveryState, OnUnknown } from "./delivery.ts";
export { type DeliveryPlace, deliveryNonce, planTextDeliveries, textDelivery } from "./plan-deliveries.ts";
export {
  type DeliveryVerdict,
  type ResendParts,
  resendDelivery,
  resendWaiting,
  type SettleStore,
  settleDelivery,
} from "./resend.ts";
export { splitText } from "./split-text.ts";
export { createStreamedOutput, type StreamEnd, type StreamedOutput, type StreamParts } from "./streamed-output.ts";
