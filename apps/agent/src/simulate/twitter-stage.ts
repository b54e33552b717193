import {
  createTown,
  type Post,
  type SimulatedUser,
  startTwitterSimulator,
  type TwitterSimulator,
} from "@troupe/simulator-twitter";
import { disturbTwitter } from "./disturb-twitter.ts";
import {
  findPlace,
  type Happening,
  quoted,
  type Stage,
  type StageOptions,
  toHandle,
  visitorName,
  withMentions,
} from "./stage.ts";

const townPeople = 6;
/** X's own limit of a name. */
const longestHandle = 15;

/** Opens an X of people who talk. @throws the system's error when the port is taken. */
export async function openTwitterStage({ port, bots: names, random }: StageOptions): Promise<Stage> {
  const simulator = await startTwitterSimulator(port === undefined ? {} : { port });
  const accounts = names.map((name, index) => {
    const username = toHandle(name, `character_${index + 1}`).slice(0, longestHandle);
    return { name, user: simulator.createUser({ username, name }) };
  });
  const town = createTown(simulator, { random, people: townPeople });
  const visitor = simulator.createUser({ username: "visitor", name: visitorName });
  const places = new Map<string, SimulatedUser | null>([
    ["post", null],
    ...accounts.map(({ name, user }) => [`@${name}`, user] as const),
  ]);
  return {
    platform: "twitter",
    title: "X",
    address: simulator.url,
    bots: accounts.map(({ name, user }) => {
      const { appKey, appSecret, accessToken, accessSecret } = simulator.credentials(user);
      const credentials = {
        TWITTER_API_KEY: appKey,
        TWITTER_API_SECRET_KEY: appSecret,
        TWITTER_ACCESS_TOKEN: accessToken,
        TWITTER_ACCESS_TOKEN_SECRET: accessSecret,
      };
      return { name, account: user.id, credentials };
    }),
    variables: { TWITTER_API_ROOT: simulator.url },
    settings: { mentions: true, dryRun: false, pollIntervalSeconds: [4, 6] },
    tellsFirstWords: true,
    description: `${town.people.length} people who post, answer and follow each other`,
    listen: (listener) => listen({ simulator, bots: accounts.map(({ user }) => user) }, listener),
    isConnected: () => simulator.requests.length > 0,
    // What was posted is found at the next look.
    isToldAll: () => true,
    step: () => void town.step(),
    places: () => [...places.keys()],
    say(place, text) {
      const mentions = Object.fromEntries(accounts.map(({ name, user }) => [name, `@${user.username}`]));
      const to = findPlace(places, place);
      if (to) visitor.message(to, text);
      else visitor.post(withMentions(text, mentions));
    },
    disturb: () => disturbTwitter(simulator, random),
    // A post of unknown fate is looked for in the account's own timeline before anything is posted again.
    hiddenArrivals: () => 0,
    calm: () => simulator.faults.clear(),
    close: () => simulator.close(),
  };
}

type Seeing = { readonly simulator: TwitterSimulator; readonly bots: readonly SimulatedUser[] };

/** Looks after every change for what is new: posts, and likes of posts. */
function listen(seeing: Seeing, listener: (happening: Happening) => void): () => void {
  const { simulator } = seeing;
  const ended = new AbortController();
  const seen = new Set(simulator.posts().map(({ id }) => id));
  const liked = new Map<string, number>();
  const look = (): void => {
    const posts = simulator.posts();
    for (const post of posts) {
      if (!seen.has(post.id)) {
        seen.add(post.id);
        listener(toHappening(post, seeing));
      }
      const likes = simulator.likesOf(post);
      for (const name of likes.slice(liked.get(post.id) ?? 0)) {
        listener({
          type: "did",
          place: placeOf(post),
          by: nameOf(simulator, name),
          what: `likes ${quoted(post.typed)}`,
        });
      }
      if (likes.length > 0) liked.set(post.id, likes.length);
    }
  };
  const watching = simulator.until(() => {
    look();
    return null;
  }, ended.signal);
  // It ends by the signal, or with the simulator; both are meant.
  watching.catch(() => undefined);
  return () => ended.abort();
}

function placeOf({ replyTo }: Post): string {
  return replyTo === null ? "post" : "reply";
}

function nameOf(simulator: TwitterSimulator, username: string): string {
  return simulator.user(username)?.account.name ?? username;
}

function toHappening(post: Post, { simulator, bots }: Seeing): Happening {
  const author = simulator.users().find(({ id }) => id === post.authorId);
  const by = author?.account.name ?? "Somebody";
  const original = post.repostOf === null ? null : simulator.posts().find(({ id }) => id === post.repostOf);
  if (original) return { type: "did", place: "repost", by, what: `reposts ${quoted(original.typed)}` };
  const isOfBot = bots.some(({ id }) => id === post.authorId);
  const named = new Set([post.replyTo?.userId, ...post.entities.mentions.map(({ id }) => id)]);
  return {
    type: "said",
    key: post.id,
    id: post.id,
    room: post.conversationId,
    isDirect: false,
    place: placeOf(post),
    by,
    account: isOfBot ? post.authorId : null,
    text: post.typed,
    answers: post.replyTo?.postId ?? null,
    addressed: isOfBot ? [] : bots.map(({ id }) => id).filter((id) => named.has(id)),
  };
}
