/** Vectors, relationships, tasks, moved rooms, forgetting. Never changed once released: a later change is a later migration. */
export const recall = `
create table relationship(
  agent integer not null, from_id text not null, to_id text not null, tags text not null, data text,
  updated_at integer not null, primary key(agent, from_id, to_id)
) strict, without rowid;
create index relationship_to on relationship(agent, to_id);

create table task(
  agent integer not null, id text not null, name text not null, kind text not null, state text not null,
  next_at integer, room_id text, entity_id text, created_at integer not null, data text not null, primary key(agent, id)
) strict, without rowid;

create table moved_room(
  agent integer not null, from_id text not null, to_id text not null, primary key(agent, from_id)
) strict, without rowid;

create index memory_kept on memory(agent, type, no) where removed_at is null and type <> 'message';
create index memory_kept_room on memory(agent, room_id, type, no) where removed_at is null and type <> 'message';
create index memory_kept_entity on memory(agent, entity_id, type, no) where removed_at is null and type <> 'message';

create table embedding_model(
  no integer primary key, agent integer not null, model text not null, dimensions integer not null default 0, mean blob,
  mean_count integer not null default 0, count integer not null default 0, refused integer not null default 0
) strict;
create unique index embedding_model_name on embedding_model(agent, model);
create table embedding_cursor(
  model integer not null, type text not null, last_no integer not null, primary key(model, type)
) strict, without rowid;
create table embedding(key integer primary key, vector blob not null) strict;
create table embedding_code(key integer primary key, code blob not null) strict;
create table embedding_refused(key integer primary key, reason text not null) strict;
create table embedding_again(key integer primary key) strict;

drop table memory_text;
create virtual table memory_text using fts5(scope, text, content='', contentless_delete=1, tokenize='ascii');
insert into memory_text(memory_text, rank) values('rank', 'bm25(0.0, 1.0)');
create virtual table memory_words using fts5vocab(memory_text, row);
update searchable set last_no = 0;
alter table searchable add column scrub integer not null default 0;
alter table run add column forgotten integer not null default 0;
`;
