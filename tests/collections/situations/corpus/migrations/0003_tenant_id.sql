set lock_timeout = '3s';

create table tenants (
    id    bigint generated always as identity primary key,
    name  text not null unique
);
alter table parcels add column tenant_id bigint references tenants (id);
-- backfilled by scripts/seed.py --backfill; NOT NULL follows once done
alter table parcels add constraint parcels_tenant_nn check (tenant_id is not null) not valid;
