create table tracking_events (
    id         bigint generated always as identity primary key,
    parcel_id  bigint not null references parcels (id),
    kind       text not null,
    at         timestamptz not null
);
create index tracking_events_parcel_id_idx on tracking_events (parcel_id, at desc);
