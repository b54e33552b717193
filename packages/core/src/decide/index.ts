export { type Decision, type DecisionFacts, decideByRules } from "./decide.ts";
export { answerFromText, decideFromText } from "./decide-from-text.ts";
export { callsName } from "./find-name.ts";
export { isQuiet, readQuietHours } from "./quiet-hours.ts";
