import { hasIntent } from "../intents.ts";
import { toFullMember } from "../payload.ts";
import type { Member, World } from "../world.ts";
import { isOfShard, type Session, toOutgoing } from "./session.ts";
import type { Stream } from "./stream.ts";

const chunkSize = 1000;

/**
 * Answers a request for members in chunks. Everybody at once is for bots with the privileged intent only; without it nothing comes.
 * @see https://discord.com/developers/docs/events/gateway-events#request-guild-members
 */
export function chunkMembers(
  { world, session, stream }: { readonly world: World; readonly session: Session; readonly stream: Stream },
  data: Readonly<Record<string, unknown>>,
): void {
  const guild = world.guilds.get(String(data["guild_id"]));
  if (!guild?.members.has(session.application.id) || !isOfShard(session.shard, guild.id)) return;
  const ids = data["user_ids"] === undefined ? null : [data["user_ids"]].flat().map(String);
  const query = typeof data["query"] === "string" ? data["query"].toLowerCase() : "";
  const limit = Number(data["limit"]) || 0;
  if (!ids && query === "" && limit === 0 && !hasIntent(session.intents, "GUILD_MEMBERS")) return;
  const all = [...guild.members.values()];
  const fits = (member: Member): boolean =>
    ids
      ? ids.includes(member.userId)
      : (world.users.get(member.userId)?.username.toLowerCase().startsWith(query) ?? false);
  const found = all.filter(fits).slice(0, limit > 0 ? limit : undefined);
  const count = Math.max(1, Math.ceil(found.length / chunkSize));
  for (let index = 0; index < count; index += 1) {
    const members = found
      .slice(index * chunkSize, (index + 1) * chunkSize)
      .map((member) => toFullMember(world, member));
    stream.push(
      toOutgoing(session, "GUILD_MEMBERS_CHUNK", {
        guild_id: guild.id,
        members,
        chunk_index: index,
        chunk_count: count,
        ...(ids ? { not_found: ids.filter((id) => !guild.members.has(id)) } : {}),
        ...(data["nonce"] === undefined ? {} : { nonce: data["nonce"] }),
      }),
    );
  }
}
