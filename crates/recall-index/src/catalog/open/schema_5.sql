-- The documents of `base.db` that the catalog has, with what may differ between work trees: the size and time of the file. The
-- table `documents` has the others.
CREATE TABLE shared_documents (
    row        INTEGER PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    modified   INTEGER NOT NULL
) STRICT;
