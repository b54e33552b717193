import type { PlatformSettings } from "../character/character.ts";
import { ConfigError } from "../errors.ts";
import type { Delivery } from "../outbox/delivery.ts";

/** What a person must agree to: nothing, posts and social actions, or everything. */
export type ApprovalRule = "none" | "required" | "everything";

/** Where a person is asked: a room of a platform, by its id there. */
type ApprovalPlace = { readonly platform: string; readonly room: string };

/** What a character's file says about approval on one platform. */
export type ApprovalSettings = { readonly rule: ApprovalRule; readonly place: ApprovalPlace | null };

/**
 * Reads `approval` and `approvalRoom` of a platform's settings.
 * @throws ConfigError naming the setting; an unclear wish must never mean that nobody is asked.
 */
export function readApproval(platform: string, settings: PlatformSettings): ApprovalSettings {
  return { rule: readRule(platform, settings["approval"]), place: readPlace(platform, settings["approvalRoom"]) };
}

function readRule(platform: string, value: unknown): ApprovalRule {
  const said = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (said === undefined || said === false || said === "none" || said === "false") return "none";
  if (said === true || said === "required" || said === "true") return "required";
  if (said === "everything") return "everything";
  throw new ConfigError(
    "invalid",
    `platforms.${platform}.approval must be "required" (posts and social actions), "everything" or "none"; correct it in the character's file.`,
  );
}

function readPlace(platform: string, value: unknown): ApprovalPlace | null {
  if (value === undefined) return null;
  const [, where, room] = typeof value === "string" ? (/^(\w+):(.+)$/u.exec(value.trim()) ?? []) : [];
  if (where !== undefined && room !== undefined) return { platform: where, room };
  throw new ConfigError(
    "invalid",
    `platforms.${platform}.approvalRoom must name a room as "telegram:12345" or "discord:67890"; correct it in the character's file.`,
  );
}

/** Whether somebody must agree to a delivery first. Posts are what is said in a feed. */
export function needsApproval(rule: ApprovalRule, { kind, content }: Pick<Delivery, "kind" | "content">): boolean {
  switch (rule) {
    case "none":
      return false;
    case "everything":
      return true;
    case "required":
      return kind !== "message" || content.channelType === "feed";
  }
}
