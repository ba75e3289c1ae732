-- The one row that counts: the committed generation, and the numbers that the next rows get. Numbers are never given
-- twice, so that a row that a search found either is what it was or is gone.
CREATE TABLE state (
    only_row      INTEGER PRIMARY KEY CHECK (only_row = 1),
    generation    INTEGER NOT NULL,
    next_document INTEGER NOT NULL,
    next_chunk    INTEGER NOT NULL,
    -- Which version of the parser all documents were parsed by; 0 where nobody said.
    parsing       INTEGER NOT NULL,
    -- The descent of the catalog: catalogs that were forked from one another have the same value, and the same content in
    -- rows that existed before the fork.
    lineage       BLOB    NOT NULL,
    -- Whether the contents of documents are partly in `base.db` next to the catalog.
    has_base      INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (1, 0, 1, 1, 0, randomblob(16), 0);

-- The chunks of a document have the numbers from first_chunk on, chunk_count of them, in order. With the counts here, totals
-- cost one pass over the documents.
CREATE TABLE documents (
    row          INTEGER PRIMARY KEY,
    id           INTEGER NOT NULL,
    path         TEXT    NOT NULL UNIQUE,
    type         TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    own_title    TEXT,             -- the title that the text gives itself
    language     TEXT,
    hash         BLOB    NOT NULL, -- of the file's bytes
    size_bytes   INTEGER NOT NULL, -- of the file
    modified     INTEGER NOT NULL, -- of the file, nanoseconds since 1970
    created      INTEGER NOT NULL, -- when the path was first indexed, nanoseconds since 1970
    file_kind    TEXT    NOT NULL,
    own_tags     BLOB,             -- the labels that the text gives itself, packed
    source       TEXT,
    outcome      TEXT    NOT NULL,
    reason       TEXT,             -- why parsing failed
    text_bytes   INTEGER NOT NULL,
    first_chunk  INTEGER NOT NULL,
    chunk_count  INTEGER NOT NULL,
    symbol_count INTEGER NOT NULL,
    edge_count   INTEGER NOT NULL
) STRICT;

CREATE INDEX documents_by_id ON documents (id);

-- The documents of `base.db` that the catalog has, with what may differ between work trees: the size and time of the file.
-- The table `documents` has the others.
CREATE TABLE shared_documents (
    row        INTEGER PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    modified   INTEGER NOT NULL
) STRICT;

CREATE TABLE texts (
    document   INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    compressed BLOB NOT NULL -- LZ4, in blocks
) STRICT;

-- Which short runs of bytes each text has, behind a checksum, so that a search for a literal reads few texts.
CREATE TABLE signatures (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    packed   BLOB NOT NULL
) STRICT;

CREATE TABLE tags (
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    tag      TEXT    NOT NULL,
    PRIMARY KEY (document, tag)
) STRICT, WITHOUT ROWID;

-- Up to 64 consecutive chunks of a document, packed, under the number of the first one. No foreign key: SQLite would need an
-- index to follow it, and the document names the numbers.
CREATE TABLE chunks (
    first    INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    count    INTEGER NOT NULL,
    packed   BLOB    NOT NULL
) STRICT;

CREATE TABLE symbols (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    packed   BLOB NOT NULL
) STRICT;

-- The edges of each document, packed, but for those of kind `references`.
CREATE TABLE edges (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    packed   BLOB NOT NULL
) STRICT;

-- The edges of kind `references`, some twenty a chunk, packed behind a checksum: mostly as places in the text.
CREATE TABLE reference_edges (
    document INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    packed   BLOB NOT NULL
) STRICT;

-- Files that are not indexed, and why. No path is both here and among the documents.
CREATE TABLE failures (
    path       TEXT    PRIMARY KEY,
    kind       TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
