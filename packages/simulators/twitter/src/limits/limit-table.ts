/** How often an endpoint may be called: per user by user tokens, per app by app tokens, and per day. */
export type EndpointLimits = {
  /** Requests in 15 minutes, in the name of one user. */
  readonly user?: number;
  /** Requests in 15 minutes, by an app on its own. */
  readonly app?: number;
  /** Requests in 24 hours, in the name of one user. */
  readonly userDay?: number;
  /** Requests in 24 hours, of the app with all its users. */
  readonly appDay?: number;
};

const lookup = { app: 300, user: 900 };
const directDay = { user: 15, userDay: 1440, appDay: 1440 };

/** What X documents for each endpoint. @see https://docs.x.com/x-api/fundamentals/rate-limits */
export const documentedLimits: Readonly<Record<string, EndpointLimits>> = {
  "GET /2/tweets": { app: 3500, user: 5000 },
  "GET /2/tweets/:id": { app: 450, user: 900 },
  "GET /2/tweets/search/recent": { app: 450, user: 300 },
  "POST /2/tweets": { appDay: 10_000, user: 100 },
  "DELETE /2/tweets/:id": { user: 50 },
  "GET /2/users/:id/tweets": { app: 10_000, user: 900 },
  "GET /2/users/:id/mentions": { app: 450, user: 300 },
  "GET /2/users/:id/timelines/reverse_chronological": { user: 180 },
  "GET /2/tweets/:id/liking_users": { app: 75, user: 75 },
  "GET /2/users/:id/liked_tweets": { app: 75, user: 75 },
  "POST /2/users/:id/likes": { user: 50, userDay: 1000 },
  "DELETE /2/users/:id/likes/:tweet_id": { user: 50, userDay: 1000 },
  "GET /2/tweets/:id/retweeted_by": { app: 75, user: 75 },
  "GET /2/tweets/:id/quote_tweets": { app: 75, user: 75 },
  "POST /2/users/:id/retweets": { user: 50 },
  "DELETE /2/users/:id/retweets/:tweet_id": { user: 50 },
  "GET /2/users": lookup,
  "GET /2/users/:id": lookup,
  "GET /2/users/by": lookup,
  "GET /2/users/by/username/:username": lookup,
  "GET /2/users/me": { user: 75 },
  "GET /2/users/:id/following": { app: 300, user: 300 },
  "GET /2/users/:id/followers": { app: 300, user: 300 },
  "POST /2/users/:id/following": { user: 50 },
  "DELETE /2/users/:id/following/:target_user_id": { user: 50 },
  "GET /2/users/:id/blocking": { user: 15 },
  "GET /2/users/:id/muting": { user: 15 },
  "POST /2/users/:id/muting": { user: 50 },
  "DELETE /2/users/:id/muting/:target_user_id": { user: 50 },
  "GET /2/dm_events": { user: 15 },
  "GET /2/dm_events/:id": { user: 15 },
  "GET /2/dm_conversations/:id/dm_events": { user: 15 },
  "GET /2/dm_conversations/with/:participant_id/dm_events": { user: 15 },
  "POST /2/dm_conversations": directDay,
  "POST /2/dm_conversations/with/:participant_id/messages": directDay,
  "POST /2/dm_conversations/:id/messages": directDay,
  "DELETE /2/dm_events/:id": { user: 300, userDay: 1500, appDay: 4000 },
  "GET /2/users/:id/bookmarks": { user: 180 },
  "POST /2/users/:id/bookmarks": { user: 50 },
  "DELETE /2/users/:id/bookmarks/:tweet_id": { user: 50 },
  "POST /2/media/upload": { user: 500, appDay: 50_000 },
  "GET /2/media/upload": { user: 1000, appDay: 100_000 },
  "POST /2/media/upload/initialize": { user: 1875, appDay: 180_000 },
  "POST /2/media/upload/:id/append": { user: 1875, appDay: 180_000 },
  "POST /2/media/upload/:id/finalize": { user: 1875, appDay: 180_000 },
  "POST /2/media/metadata": { user: 500, appDay: 50_000 },
};
