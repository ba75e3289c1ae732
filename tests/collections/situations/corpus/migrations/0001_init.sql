create table parcels (
    id          bigint generated always as identity primary key,
    carrier     text not null,
    status      text not null default 'created',
    weight_kg   numeric(8, 3) not null,
    price       numeric(10, 2) not null,
    created_at  timestamptz not null default now()
);
create index parcels_status_idx on parcels (status);
create table schema_version (
    version     integer primary key,
    applied_at  timestamptz not null default now()
);
