import type { Attachment, Memory } from "../memory/memory.ts";

/** What was said in the recordings that came with messages: told by whoever listens to them, for whoever looks for what matters. */
export type SpokenWords = {
  /** Somebody is listening to the recordings of a message; the promise never fails. */
  begin(memoryId: string, listening: Promise<readonly Attachment[]>): void;
  /** The words of a message's recordings, once they are known; empty when it has none or nobody listens. */
  of(memory: Memory): Promise<string>;
};

const keptMessages = 100;

/** One for the parts of an agent, or of several. */
export function createSpokenWords(): SpokenWords {
  const heard = new Map<string, Promise<readonly Attachment[]>>();
  return {
    begin(memoryId, listening) {
      heard.set(memoryId, listening);
      const [oldest] = heard.keys();
      if (heard.size > keptMessages && oldest !== undefined) heard.delete(oldest);
    },
    async of({ id, content: { attachments = [] } }) {
      if (!attachments.some(isRecording)) return "";
      return wordsIn(attachments) || wordsIn((await heard.get(id)) ?? []);
    },
  };
}

/** The words of recordings that are written down already. */
export function wordsIn(attachments: readonly Attachment[]): string {
  return attachments
    .filter(isRecording)
    .flatMap(({ description }) => description ?? [])
    .join("\n");
}

/** By its media type: voice notes always have one. */
function isRecording({ mediaType }: Attachment): boolean {
  return mediaType !== undefined && /^(?:audio\/|application\/ogg)/iu.test(mediaType.trim());
}
