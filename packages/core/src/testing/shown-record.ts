import type { Delivery, DeliveryKind } from "../outbox/delivery.ts";

/** What a pretended platform writes down, in order; a file client's file has one of these a line, as JSON. */
export type ShownRecord =
  | {
      readonly type: "show";
      readonly platformId: string;
      readonly key: string;
      readonly nonce: string;
      readonly target: string;
      readonly kind: DeliveryKind;
      readonly text: string;
      readonly replyToPlatformId?: string;
      readonly isGrowing?: boolean;
    }
  | { readonly type: "edit"; readonly platformId: string; readonly text: string; readonly isFinal: boolean }
  | { readonly type: "remove"; readonly platformId: string }
  /** A send that was refused because its nonce was there already. */
  | { readonly type: "repeat"; readonly key: string; readonly platformId: string }
  /** An input is durable on our side: the platform will not offer it again. */
  | { readonly type: "acknowledge"; readonly eventId: string };

/** What the other side sees of one delivery. */
export type Shown = {
  readonly platformId: string;
  readonly key: string;
  readonly nonce: string;
  readonly target: string;
  readonly kind: DeliveryKind;
  readonly text: string;
  readonly replyToPlatformId?: string;
  /** How often its text was replaced. */
  readonly edits: number;
  /** No edit is to follow. */
  readonly isFinal: boolean;
  readonly isRemoved: boolean;
};

/** A pretended platform, told from its records. */
export type ShownState = {
  /** By the platform's id, in the order of sending. */
  readonly shown: Map<string, Shown>;
  readonly acknowledged: Set<string>;
  /** How many sends were refused as repeats. */
  repeats: number;
};

/** A platform on which nothing happened yet. */
export function emptyShownState(): ShownState {
  return { shown: new Map(), acknowledged: new Set(), repeats: 0 };
}

/** The record of a first send. */
export function showRecord(delivery: Delivery, platformId: string): ShownRecord {
  const { key, nonce, target, kind, content, replyToPlatformId, isGrowing } = delivery;
  return {
    type: "show",
    platformId,
    key,
    nonce,
    target,
    kind,
    text: content.text,
    ...(replyToPlatformId !== undefined && { replyToPlatformId }),
    ...(isGrowing !== undefined && { isGrowing }),
  };
}

/** Changes the state by one record. */
export function applyRecord(state: ShownState, record: ShownRecord): void {
  switch (record.type) {
    case "show": {
      const { type: _, isGrowing, ...rest } = record;
      state.shown.set(record.platformId, { ...rest, edits: 0, isFinal: isGrowing !== true, isRemoved: false });
      return;
    }
    case "edit": {
      const shown = state.shown.get(record.platformId);
      if (!shown) return;
      const edits = shown.edits + 1;
      state.shown.set(record.platformId, { ...shown, text: record.text, edits, isFinal: record.isFinal });
      return;
    }
    case "remove": {
      const shown = state.shown.get(record.platformId);
      if (shown) state.shown.set(record.platformId, { ...shown, isRemoved: true });
      return;
    }
    case "repeat":
      state.repeats += 1;
      return;
    case "acknowledge":
      state.acknowledged.add(record.eventId);
      return;
  }
}
