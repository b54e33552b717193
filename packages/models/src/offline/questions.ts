const questionStart =
  /^(?:who|what|when|where|why|how|which|whose|is|are|am|do|does|did|can|could|will|would|should|shall|may|have|has|was|were|tell me|explain|describe|erzähl|erklär|beschreib|wer|wie|warum|wieso|wo|wann|woher|welche[rs]?|kannst|bist|hast|weißt|qui|que|quoi|quand|pourquoi|comment|où|quel|quelle|est-ce|quién|qué|cuándo|dónde|cómo|por qué|chi|cosa|perché|dove|quando|come|quem|onde|wat|wie|waarom|waar|hoe|кто|что|где|когда|почему|как|зачем)\s/iu;
const questionEnd = /(?:[?？؟]|吗|呢|か|까|까요|나요|ไหม|มั้ย|หรือเปล่า)\s*[。.!]?$/u;

/** True when a message asks, by its mark or by its words. */
export function looksLikeQuestion(text: string): boolean {
  const end = text.slice(-60).trim();
  return questionEnd.test(end) || (text.length < 300 && questionStart.test(text));
}

const factualStart =
  /^(?:what|who|where|when|which|how (?:many|much|far|tall|big|long|deep|high))(?:'s|’s| is| are| was| were| did| does| do| won| has)\b|^(?:wer|was|wo|wann|wie (?:viele|weit|hoch|groß|lang)) (?:ist|sind|war|waren|hat)\b/i;
const personal =
  /\b(?:i|me|my|mine|we|you|your|this|that|it|ich|mir|mein|meine|du|dein|dir|das|los|life|love|meaning|sinn|liebe)\b/i;

/** True for a question after a fact of the world, which rules cannot know. */
export function isFactual(text: string): boolean {
  return text.length < 200 && factualStart.test(text) && !personal.test(text);
}
