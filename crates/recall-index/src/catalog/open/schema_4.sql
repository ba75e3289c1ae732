-- Which short runs of bytes each text has, behind a checksum, so that a search for a literal reads few texts. A document that was
-- stored before this table has no row.
CREATE TABLE signatures (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    packed   BLOB NOT NULL
) STRICT;
