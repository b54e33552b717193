export { type ExplainedRun, explainRun, memoriesOf, partsOf, type RunFacts, writerOf } from "./explain.ts";
export { explainMessage, type MessageExplanation, type MessageFacts } from "./explain-message.ts";
export { type MessageRenderOptions, renderMessage } from "./explain-message-render.ts";
export {
  countOf,
  formatCost,
  formatCount,
  formatDuration,
  printable,
  printableLine,
  shortId,
} from "./explain-printable.ts";
export { describeDelivery, describeStage, type RenderOptions, renderRun } from "./explain-render.ts";
