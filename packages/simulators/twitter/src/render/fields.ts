import { invalidParameter } from "../problem.ts";

const postFields = [
  "article",
  "attachments",
  "author_id",
  "community_id",
  "context_annotations",
  "conversation_id",
  "created_at",
  "display_text_range",
  "edit_controls",
  "edit_history_tweet_ids",
  "entities",
  "geo",
  "id",
  "in_reply_to_user_id",
  "lang",
  "non_public_metrics",
  "note_tweet",
  "organic_metrics",
  "possibly_sensitive",
  "promoted_metrics",
  "public_metrics",
  "referenced_tweets",
  "reply_settings",
  "scopes",
  "source",
  "suggested_source_links",
  "text",
  "withheld",
];
const userFields = [
  "affiliation",
  "confirmed_email",
  "connection_status",
  "created_at",
  "description",
  "entities",
  "id",
  "is_identity_verified",
  "location",
  "most_recent_tweet_id",
  "name",
  "parody",
  "pinned_tweet_id",
  "profile_banner_url",
  "profile_image_url",
  "protected",
  "public_metrics",
  "receives_your_dm",
  "subscription",
  "subscription_type",
  "url",
  "username",
  "verified",
  "verified_followers_count",
  "verified_type",
  "withheld",
];
const mediaFields = [
  "alt_text",
  "duration_ms",
  "height",
  "media_key",
  "non_public_metrics",
  "organic_metrics",
  "preview_image_url",
  "promoted_metrics",
  "public_metrics",
  "type",
  "url",
  "variants",
  "width",
];
const pollFields = ["duration_minutes", "end_datetime", "id", "options", "voting_status"];
const placeFields = ["contained_within", "country", "country_code", "full_name", "geo", "id", "name", "place_type"];
const directFields = [
  "attachments",
  "created_at",
  "dm_conversation_id",
  "entities",
  "event_type",
  "id",
  "participant_ids",
  "referenced_tweets",
  "sender_id",
  "text",
];
const postExpansions = [
  "article.cover_media",
  "article.media_entities",
  "attachments.media_keys",
  "attachments.media_source_tweet",
  "attachments.poll_ids",
  "author_id",
  "author_screen_name",
  "edit_history_tweet_ids",
  "entities.mentions.username",
  "entities.note.mentions.username",
  "geo.place_id",
  "in_reply_to_user_id",
  "referenced_tweets.id",
  "referenced_tweets.id.attachments.media_keys",
  "referenced_tweets.id.author_id",
];
const userExpansions = ["affiliation.user_id", "most_recent_tweet_id", "pinned_tweet_id"];
const directExpansions = ["attachments.media_keys", "participant_ids", "referenced_tweets.id", "sender_id"];

/** What an answer's things are of. */
export type Subject = "post" | "user" | "direct";

/** Which fields and other things somebody wants to see. */
export type View = {
  readonly post: ReadonlySet<string>;
  readonly user: ReadonlySet<string>;
  readonly media: ReadonlySet<string>;
  readonly direct: ReadonlySet<string>;
  readonly expansions: ReadonlySet<string>;
};

const fieldParameters = {
  "tweet.fields": postFields,
  "user.fields": userFields,
  "media.fields": mediaFields,
  "poll.fields": pollFields,
  "place.fields": placeFields,
};

/** The query parameters that say what to show, by subject. */
export const viewParameters: Readonly<Record<Subject, readonly string[]>> = {
  post: ["expansions", ...Object.keys(fieldParameters)],
  user: ["expansions", "tweet.fields", "user.fields"],
  direct: ["expansions", "dm_event.fields", "tweet.fields", "user.fields", "media.fields"],
};

/** Reads what somebody wants to see. @throws Problem for a field or expansion there is not. */
export function readView(query: URLSearchParams, subject: Subject): View {
  const wanted = (name: string, allowed: readonly string[]): string[] => {
    const values = (query.get(name) ?? "").split(",").filter(Boolean);
    const unknown = values.find((value) => !allowed.includes(value));
    if (unknown !== undefined) throw invalidParameter(name, unknown, `is not one of [${allowed.join(",")}]`);
    return values;
  };
  for (const [name, allowed] of Object.entries(fieldParameters)) wanted(name, allowed);
  const expansions = { post: postExpansions, user: userExpansions, direct: directExpansions }[subject];
  return {
    post: new Set(["id", "text", "edit_history_tweet_ids", ...wanted("tweet.fields", postFields)]),
    user: new Set(["id", "name", "username", ...wanted("user.fields", userFields)]),
    media: new Set(["media_key", "type", ...wanted("media.fields", mediaFields)]),
    direct: new Set(directDefaults(wanted("dm_event.fields", directFields))),
    expansions: new Set(wanted("expansions", expansions)),
  };
}

function directDefaults(wanted: readonly string[]): readonly string[] {
  return ["id", "event_type", "text", ...wanted];
}
