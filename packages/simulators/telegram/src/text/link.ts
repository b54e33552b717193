import type { Entity } from "./entity.ts";

const shape = /^(?:(https?):\/\/)?([^/?#]+)([/?#].*)?$/is;
const host =
  /^(?:[^@\s]*@)?((?:[\p{L}\p{N}_\p{Extended_Pictographic}-]+\.)+[\p{L}\p{N}-]{2,}|\d{1,3}(?:\.\d{1,3}){3})\.?(?::\d{1,5})?$/u;

/** A link as Telegram keeps it, or null when it is none. */
export function checkedLink(link: string): string | null {
  const trimmed = link.trim();
  if (/^(?:tg|ton|tonsite):/i.test(trimmed))
    return trimmed.replace(/^([a-z]+):(?:\/\/)?/i, (_, scheme: string) => `${scheme.toLowerCase()}://`);
  const [, scheme = "http", authority = "", rest = ""] = shape.exec(trimmed) ?? [];
  if (!host.test(authority)) return null;
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  return `${scheme.toLowerCase()}://${authority.toLowerCase()}${path.replace(/\s/g, (space) => encodeURIComponent(space))}`;
}

/** The user a `tg://user?id=…` link leads to. */
function linkedUser(link: string): number | null {
  const [, id] = /^tg:(?:\/\/)?user\/?\?(?:.*&)?id=(\d{1,16})(?:[&#]|$)/i.exec(link.trim()) ?? [];
  return id && Number(id) > 0 ? Number(id) : null;
}

/** What linked text becomes; nothing when the link is none. */
export function linkEntity(link: string, offset: number, length: number): readonly Entity[] {
  const userId = linkedUser(link);
  if (userId !== null) return [{ type: "text_mention", offset, length, userId }];
  const url = checkedLink(link);
  return url === null ? [] : [{ type: "text_link", offset, length, url }];
}
