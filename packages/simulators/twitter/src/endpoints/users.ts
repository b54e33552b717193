import { missing, notFound, type PartialError, suspended } from "../problem.ts";
import { userDocument } from "../render/document.ts";
import { viewParameters } from "../render/fields.ts";
import { pageOf, tokens } from "../render/paging.ts";
import { block, follow, unfollow } from "../world/people.ts";
import type { Relation } from "../world/relation.ts";
import { sightOfPostsBy } from "../world/visibility.ts";
import { findByUsername, type User } from "../world/world.ts";
import { id, objectBody } from "./json-body.ts";
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

const scopes = ["users.read", "tweet.read"];
const query = viewParameters.user;
const listQuery = [...query, "max_results", "pagination_token"];

/** Looking accounts up, and following, muting and blocking them. */
export const userRoutes: readonly Route[] = [
  {
    endpoint: "GET /2/users/me",
    auth: asUser,
    scopes,
    query,
    isOwnedRead: true,
    handle: (call) => single(call, { user: userOf(call), parameter: "id", value: "me" }),
  },
  {
    endpoint: "GET /2/users",
    auth: anybody,
    scopes,
    query: [...query, "ids"],
    handle: (call) => several(call, "ids", (value) => call.world.users.get(value)),
  },
  {
    endpoint: "GET /2/users/by",
    auth: anybody,
    scopes,
    query: [...query, "usernames"],
    handle: (call) => several(call, "usernames", (value) => findByUsername(call.world, value)),
  },
  {
    endpoint: "GET /2/users/by/username/:username",
    auth: anybody,
    scopes,
    query,
    handle: (call) => {
      const value = call.params["username"] ?? "";
      return single(call, { user: findByUsername(call.world, value), parameter: "username", value });
    },
  },
  {
    endpoint: "GET /2/users/:id",
    auth: anybody,
    scopes,
    query,
    handle: (call) => {
      const value = idParameter(call, "id");
      return single(call, { user: call.world.users.get(value), parameter: "id", value });
    },
  },
  {
    endpoint: "GET /2/users/:id/following",
    auth: anybody,
    scopes: [...scopes, "follows.read"],
    query: listQuery,
    isOwnedRead: true,
    userPrice: "follow-read",
    handle: (call) => related(call, call.world.follows, "of"),
  },
  {
    endpoint: "GET /2/users/:id/followers",
    auth: anybody,
    scopes: [...scopes, "follows.read"],
    query: listQuery,
    isOwnedRead: true,
    userPrice: "follow-read",
    handle: (call) => related(call, call.world.follows, "to"),
  },
  {
    endpoint: "POST /2/users/:id/following",
    auth: asUser,
    scopes: [...scopes, "follows.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => ({
      body: { data: follow(call.world, userOf(call), bodyTarget(call)) },
      price: "interaction-create",
    }),
  },
  {
    endpoint: "DELETE /2/users/:id/following/:target_user_id",
    auth: asUser,
    scopes: [...scopes, "follows.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      unfollow(call.world, userOf(call), pathTarget(call));
      return { body: { data: { following: false } }, price: "interaction-delete" };
    },
  },
  {
    endpoint: "GET /2/users/:id/muting",
    auth: asUser,
    scopes: [...scopes, "mute.read"],
    query: listQuery,
    isOwn: true,
    isOwnedRead: true,
    handle: (call) => related(call, call.world.mutes, "of"),
  },
  {
    endpoint: "POST /2/users/:id/muting",
    auth: asUser,
    scopes: [...scopes, "mute.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      call.world.mutes.add(userOf(call).id, bodyTarget(call).id);
      return { body: { data: { muting: true } }, price: "interaction-create" };
    },
  },
  {
    endpoint: "DELETE /2/users/:id/muting/:target_user_id",
    auth: asUser,
    scopes: [...scopes, "mute.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      call.world.mutes.remove(userOf(call).id, pathTarget(call).id);
      return { body: { data: { muting: false } }, price: "mute-delete" };
    },
  },
  {
    endpoint: "GET /2/users/:id/blocking",
    auth: asUser,
    scopes: [...scopes, "block.read"],
    query: listQuery,
    isOwn: true,
    isOwnedRead: true,
    handle: (call) => related(call, call.world.blocks, "of"),
  },
  {
    endpoint: "POST /2/users/:id/blocking",
    auth: asUser,
    scopes: [...scopes, "block.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      block(call.world, userOf(call), bodyTarget(call));
      return { body: { data: { blocking: true } }, price: "interaction-create" };
    },
  },
  {
    endpoint: "DELETE /2/users/:id/blocking/:target_user_id",
    auth: asUser,
    scopes: [...scopes, "block.write"],
    needs: "write",
    isOwn: true,
    handle: (call) => {
      call.world.blocks.remove(userOf(call).id, pathTarget(call).id);
      return { body: { data: { blocking: false } }, price: "interaction-delete" };
    },
  },
];

type Wanted = { readonly user: User | undefined; readonly parameter: string; readonly value: string };

function absence({ user, parameter, value }: Wanted): PartialError | null {
  if (user === undefined || user.standing === "deactivated") return missing({ resource: "user", parameter, value });
  return user.standing === "suspended" ? suspended({ parameter, value }) : null;
}

function single(call: Call, wanted: Wanted): Reply {
  const look = lookOf(call, "user");
  const error = absence(wanted);
  if (error !== null || wanted.user === undefined) return { body: { errors: [error] } };
  const { body, reads } = userDocument(look, [wanted.user]);
  const [data] = body["data"] as readonly unknown[];
  return { body: { ...body, data }, reads };
}

function several(call: Call, parameter: "ids" | "usernames", find: (value: string) => User | undefined): Reply {
  const look = lookOf(call, "user");
  const pattern = parameter === "ids" ? /^\d{1,19}$/ : /^\w{1,15}$/;
  const wanted = listParameter(call, parameter, pattern).map((value) => ({ user: find(value), parameter, value }));
  const errors = wanted.map(absence).filter((error) => error !== null);
  const found = wanted.filter((one) => absence(one) === null).flatMap(({ user }) => user ?? []);
  const { body, reads } = userDocument(look, found);
  return { body: { ...body, ...(errors.length === 0 ? {} : { errors }) }, reads };
}

function related(call: Call, relation: Relation, direction: "of" | "to"): Reply {
  const look = lookOf(call, "user");
  const value = idParameter(call, "id");
  const user = call.world.users.get(value);
  const error = absence({ user, parameter: "id", value });
  if (error !== null) return { body: { errors: [error] } };
  const items = relation[direction](value).flatMap(({ id: other, order }) => {
    const found = call.world.users.get(other);
    return sightOfPostsBy(call.world, other, found) === "visible" && found !== undefined
      ? [{ order, value: found }]
      : [];
  });
  const page = pageOf(items, call.query, { min: 1, max: 1000, usual: 100 });
  return userDocument(look, page.values, { meta: { result_count: page.values.length, ...tokens(page) } });
}

function bodyTarget(call: Call): User {
  const body = objectBody(call.body, ["target_user_id"]);
  return target(call, id(body, "target_user_id"));
}

function pathTarget(call: Call): User {
  return target(call, idParameter(call, "target_user_id"));
}

function target({ world }: Call, userId: string): User {
  const user = world.users.get(userId);
  if (user === undefined || user.standing === "deactivated")
    throw notFound(`Could not find user with id: [${userId}].`);
  return user;
}
