-- Rights by repository, and a record of publications, for a store on PostgreSQL.
--
-- Run it as a superuser in the database, after the first publication: `psql team --file shared-store-rights.sql`. It may be run again.
-- `recall` is the role that owns the store; replace the name if yours has another. docs/shared-store.md explains it.

begin;

-- What the publishing roles cannot change lies in a schema of its own, which the superuser owns.
create schema if not exists recall_rights;

-- Every member of this group reads only what `reader` names. A role that is not in it is not limited.
do $$ begin
  if not exists (select from pg_roles where rolname = 'recall_reader') then create role recall_reader nologin; end if;
end $$;

-- Who may read which repositories. `repository` is a pattern of LIKE: 'github.com/acme/%'. Delete a row to revoke it.
create table if not exists recall_rights.reader (
  tenant text not null default 'default',
  role name not null,
  repository text not null,
  granted timestamptz not null default now(),
  granted_by name not null default session_user,
  primary key (tenant, role, repository)
);

-- Who published what and when. Rows are only added, by the trigger below.
create table if not exists recall_rights.publication (
  at timestamptz not null default now(),
  role name not null,
  client inet,
  tenant text not null,
  repository text not null,
  branch text not null,
  generation bigint not null,
  documents bigint not null,
  digest bytea not null
);

create or replace function recall_rights.record_publication() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
  insert into recall_rights.publication (role, client, tenant, repository, branch, generation, documents, digest)
  values (session_user, inet_client_addr(), new.tenant, new.repository, new.name, new.generation, new.documents, new.digest);
  return null;
end $$;

-- Protects the tables of the store, also those of a new model: recall calls it after it has created tables.
--
-- A row is readable if it leads to a branch that is: each policy asks for a row of the next table, which has its own policy. Members get
-- the tables but not their partitions, which have no such policies.
create or replace function recall_rights.protect() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  protected record;
begin
  for protected in
    select c.relname as name, case
        when c.relname = 'branch' then 'exists (select from recall_rights.reader r where r.tenant = branch.tenant '
          || 'and branch.repository like r.repository and pg_has_role(r.role, ''member''))'
        when c.relname = 'document' then 'exists (select from recall_1.branch b where b.tenant = document.tenant and b.id = document.branch)'
        when c.relname in ('occurrence', 'path_key') then format(
          'exists (select from recall_1.document d where d.tenant = %1$I.tenant and d.id = %1$I.document)', c.relname)
        when c.relname = 'chunk' then
          'exists (select from recall_1.occurrence o where o.tenant = chunk.tenant and o.chunk = chunk.id)'
        when c.relname = 'chunk_keys' or c.relname like 'vector\_%' then format(
          'exists (select from recall_1.occurrence o where o.tenant = %1$I.tenant and o.chunk = %1$I.chunk)', c.relname)
      end as condition
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'recall_1' and c.relkind = 'p'
  loop
    execute format('grant select on recall_1.%I to recall_reader', protected.name);
    if protected.condition is not null then
      execute format('drop policy if exists reader on recall_1.%I', protected.name);
      execute format('create policy reader on recall_1.%I as restrictive for select to recall_reader using (%s)',
        protected.name, protected.condition);
    end if;
  end loop;
end $$;

create or replace trigger record_publication after update of generation on recall_1.branch
  for each row when (new.generation > old.generation) execute function recall_rights.record_publication();

-- A member learns its own rights only.
alter table recall_rights.reader enable row level security;
drop policy if exists own on recall_rights.reader;
create policy own on recall_rights.reader for select to recall_reader using (pg_has_role(role, 'member'));

grant usage on schema recall_1 to recall_reader;
grant usage on schema recall_rights to recall, recall_reader;
grant select on recall_rights.reader to recall_reader;
select recall_rights.protect();

commit;
