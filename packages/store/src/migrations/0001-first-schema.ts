/** What the store began with. Never changed once released: a later change is a later migration. */
export const firstSchema = `
create table agent(no integer primary key, id text not null unique) strict;

create table world(
  agent integer not null, id text not null, platform text not null, account text not null, platform_id text not null,
  name text, data text, primary key(agent, id)
) strict, without rowid;

create table room(
  agent integer not null, id text not null, world_id text, platform text not null, account text not null,
  platform_id text not null, channel_type text not null, name text, data text, stance text not null default 'default',
  primary key(agent, id)
) strict, without rowid;

create table entity(
  agent integer not null, id text not null, platform text not null, account text not null, platform_id text not null,
  name text not null, is_bot integer, data text, primary key(agent, id)
) strict, without rowid;

create table memory(
  no integer primary key, agent integer not null, id text not null, room_id text not null, entity_id text not null,
  type text not null, created_at integer not null, platform_id text, run_id text, text text not null,
  content text not null, metadata text, words text, inbox_no integer, removed_at integer
) strict;
create unique index memory_id on memory(agent, id);
create index memory_recent on memory(agent, room_id, no desc)
  where removed_at is null and type = 'message';
create index memory_platform on memory(agent, platform_id) where platform_id is not null;

create virtual table memory_text using fts5(scope, text, content='', contentless_delete=1, tokenize='ascii');
insert into memory_text(memory_text, rank) values('rank', 'bm25(0.0, 1.0)');
create table searchable(only integer primary key check(only = 1), last_no integer not null) strict;
insert into searchable values(1, 0);

create table lane(
  agent integer not null, context_id text not null, epoch integer not null, owner text, last_seq integer not null,
  last_entry integer not null, waiting integer not null, oldest_at integer, oldest_no integer,
  primary key(agent, context_id)
) strict, without rowid;
create index lane_ready on lane(agent, oldest_at, oldest_no) where waiting > 0 and owner is null;

create table inbox(
  no integer primary key, agent integer not null, context_id text not null, seq integer not null,
  platform text not null, account text not null, event_id text not null, kind text not null, memory_id text not null,
  entity_id text not null, accepted_at integer not null, attempts integer not null default 0, state text not null default 'waiting', outcome text,
  reason text, run_id text
) strict;
create unique index inbox_event on inbox(agent, platform, account, event_id);
create unique index inbox_waiting on inbox(agent, context_id, seq) where state = 'waiting';

create table journal(
  agent integer not null, context_id text not null, seq integer not null, run_id text not null, at integer not null,
  body text not null, primary key(agent, context_id, seq)
) strict, without rowid;
create index journal_run on journal(agent, run_id, seq);

create table part(agent integer not null, hash text not null, text text) strict;
create unique index part_hash on part(agent, hash);

create table run(
  no integer primary key, agent integer not null, id text not null, context_id text not null,
  started_at integer not null, ended_at integer, outcome text, reason text, input_tokens integer not null,
  output_tokens integer not null, cost_microusd integer not null
) strict;
create unique index run_id on run(agent, id);
create index run_order on run(agent);
create index run_context on run(agent, context_id);
create index run_open on run(agent, context_id) where ended_at is null;

create table delivery(
  no integer primary key, agent integer not null, key text not null, run_id text not null, room_id text not null,
  state text not null, is_open integer not null, text text not null, content text not null,
  data text not null, attempts integer not null default 0, platform_id text, error text, created_at integer not null,
  updated_at integer not null
) strict;
create unique index delivery_key on delivery(agent, key);
create index delivery_state on delivery(agent, state);
create index delivery_run on delivery(agent, run_id);

create table kv(
  agent integer not null, namespace text not null, key text not null, value text not null, version integer not null,
  expires_at integer, primary key(agent, namespace, key)
) strict, without rowid;
create index kv_expiring on kv(agent, namespace, expires_at) where expires_at is not null;
`;
