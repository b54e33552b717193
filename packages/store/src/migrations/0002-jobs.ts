/** Durable jobs. Never changed once released: a later change is a later migration. */
export const jobs = `
create table job(
  no integer primary key, agent integer not null, id text not null, kind text not null, payload text not null,
  run_at integer not null, queue text, due_at integer not null, state text not null, owner text,
  epoch integer not null default 0, attempts integer not null default 0, error text,
  created_at integer not null, updated_at integer not null
) strict;
create unique index job_id on job(agent, id);
create index job_ready on job(agent, kind, due_at) where state = 'waiting';
create index job_live on job(agent, state) where state <> 'done';
create index job_queue on job(agent, queue, state, run_at) where queue is not null and state <> 'done';
create index job_done on job(agent, updated_at) where state = 'done';
`;
