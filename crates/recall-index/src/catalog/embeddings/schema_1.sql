CREATE TABLE models (
    id          INTEGER PRIMARY KEY,
    fingerprint BLOB NOT NULL UNIQUE
) STRICT;

-- In the order of writing, not of names: what is evicted together then stands together, and leaves whole pages free.
CREATE TABLE embeddings (
    row       INTEGER PRIMARY KEY,
    name      BLOB    NOT NULL UNIQUE, -- the beginning of a hash of model and text
    model     INTEGER NOT NULL,
    used      INTEGER NOT NULL,        -- the day of the last use, since 1970
    checksum  INTEGER NOT NULL,        -- of name and embedding
    embedding BLOB    NOT NULL
) STRICT;

-- The order in which they are evicted; holds what is counted, too.
CREATE INDEX embeddings_by_use ON embeddings (used, model);
