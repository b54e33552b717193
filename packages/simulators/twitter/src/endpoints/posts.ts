import { forbidden, hidden, invalidBody, missing, type PartialError } from "../problem.ts";
import { postDocument } from "../render/document.ts";
import { viewParameters } from "../render/fields.ts";
import { hasLink } from "../text/entities.ts";
import { publish, remove } from "../world/publish.ts";
import { sightOf } from "../world/visibility.ts";
import type { Post, ReplySettings } from "../world/world.ts";
import { id, ids, type JsonObject, objectBody, optionalId, optionalObject, optionalText } from "./json-body.ts";
import {
  anybody,
  asUser,
  type Call,
  idParameter,
  listParameter,
  lookOf,
  type Reply,
  type Route,
  userOf,
} from "./route.ts";

const readScopes = ["tweet.read", "users.read"];
const writeScopes = ["tweet.read", "tweet.write", "users.read"];

const createKeys = ["text", "reply", "quote_tweet_id", "media", "reply_settings", "made_with_ai", "paid_partnership"];
const otherKeys = [
  "card_uri",
  "community_id",
  "direct_message_deep_link",
  "edit_options",
  "for_super_followers_only",
  "geo",
  "nullcast",
  "poll",
  "share_with_followers",
];
const settings: readonly ReplySettings[] = ["following", "mentionedUsers", "subscribers", "verified"];

/** Writing, deleting and looking up posts. */
export const postRoutes: readonly Route[] = [
  { endpoint: "POST /2/tweets", auth: asUser, scopes: writeScopes, needs: "write", handle: create },
  {
    endpoint: "DELETE /2/tweets/:id",
    auth: asUser,
    scopes: writeScopes,
    needs: "write",
    handle: (call) => {
      const post = call.world.posts.get(idParameter(call, "id"));
      if (post !== undefined && !post.isDeleted) {
        if (post.authorId !== userOf(call).id) throw forbidden("You are not authorized to delete this Tweet.");
        remove(call.world, post);
      }
      return { body: { data: { deleted: true } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "GET /2/tweets",
    auth: anybody,
    scopes: readScopes,
    query: [...viewParameters.post, "ids"],
    handle: (call) => {
      const { document, errors } = find(call, "ids", listParameter(call, "ids", /^\d{1,19}$/));
      const all = [...errors, ...partialErrors(document.body)];
      return { body: { ...document.body, ...(all.length === 0 ? {} : { errors: all }) }, reads: document.reads };
    },
  },
  {
    endpoint: "GET /2/tweets/:id",
    auth: anybody,
    scopes: readScopes,
    query: viewParameters.post,
    handle: (call) => {
      const { document, errors } = find(call, "id", [idParameter(call, "id")]);
      if (errors.length > 0) return { body: { errors } };
      const [data] = document.body["data"] as readonly unknown[];
      return { body: { ...document.body, data }, reads: document.reads };
    },
  },
];

function create(call: Call): Reply {
  const body = objectBody(call.body, [...createKeys, ...otherKeys]);
  const other = otherKeys.find((key) => body[key] !== undefined && body[key] !== false && body[key] !== null);
  if (other !== undefined) throw invalidBody(`$.${other}`, "is not simulated");
  const reply = optionalObject(body, "reply", [
    "in_reply_to_tweet_id",
    "exclude_reply_user_ids",
    "auto_populate_reply_metadata",
  ]);
  const media = optionalObject(body, "media", ["media_ids", "tagged_user_ids"]);
  const quoteOf = optionalId(body, "quote_tweet_id");
  const mediaIds = media === undefined ? [] : ids(media, "media_ids");
  if (quoteOf !== undefined && mediaIds.length > 0)
    throw invalidBody("$.quote_tweet_id", "cannot be used with $.media");
  const author = userOf(call);
  const text = optionalText(body, "text") ?? "";
  const post = publish(call.world, {
    author,
    text,
    mediaIds,
    replySettings: replySettings(body),
    onlySummoned: call.rules.onlySummoned,
    duplicateWindowMs: call.rules.duplicateWindowMs,
    postsPerDay: call.rules.postsPerDay,
    ...(quoteOf === undefined ? {} : { quoteOf }),
    ...(reply === undefined
      ? {}
      : { replyTo: id(reply, "in_reply_to_tweet_id"), without: ids(reply, "exclude_reply_user_ids") }),
  });
  return {
    status: 201,
    body: { data: { id: post.id, text: post.text, edit_history_tweet_ids: [post.id] } },
    price: hasLink(text) ? "post-create-with-link" : "post-create",
  };
}

function replySettings(body: JsonObject): ReplySettings {
  const value = optionalText(body, "reply_settings");
  if (value === undefined) return "everyone";
  const known = settings.find((one) => one === value);
  if (known === undefined) {
    throw invalidBody("$.reply_settings", `does not have a value in the enumeration [${settings.join(", ")}]`);
  }
  return known;
}

type Found = { readonly document: ReturnType<typeof postDocument>; readonly errors: readonly PartialError[] };

function find(call: Call, parameter: string, wanted: readonly string[]): Found {
  const look = lookOf(call, "post");
  const errors: PartialError[] = [];
  const posts: Post[] = [];
  for (const value of wanted) {
    const post = call.world.posts.get(value);
    const sight = sightOf(call.world, call.caller.user?.id ?? null, post);
    const what = { resource: "tweet", parameter, value } as const;
    if (post !== undefined && sight === "visible") posts.push(post);
    else errors.push(sight === "hidden" ? hidden(what) : missing(what));
  }
  return { document: postDocument(look, posts), errors };
}

function partialErrors(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(body["errors"]) ? body["errors"] : [];
}
