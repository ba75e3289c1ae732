-- The one row that counts: the committed generation, and the numbers that the next rows get. Numbers are never given
-- twice, so that a row that a search found either is what it was or is gone.
CREATE TABLE state (
    only_row      INTEGER PRIMARY KEY CHECK (only_row = 1),
    generation    INTEGER NOT NULL,
    next_document INTEGER NOT NULL,
    next_chunk    INTEGER NOT NULL,
    next_symbol   INTEGER NOT NULL
) STRICT;

INSERT INTO state VALUES (1, 0, 1, 1, 1);

-- The chunks of a document are the rows from first_chunk on, chunk_count of them, in order; so are its symbols. With
-- the counts here, totals cost one pass over the documents.
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
    first_symbol INTEGER NOT NULL,
    symbol_count INTEGER NOT NULL,
    edge_count   INTEGER NOT NULL
) STRICT;

CREATE INDEX documents_by_id ON documents (id);

CREATE TABLE texts (
    document   INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    compressed BLOB NOT NULL -- LZ4, in blocks
) STRICT;

CREATE TABLE tags (
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    tag      TEXT    NOT NULL,
    PRIMARY KEY (document, tag)
) STRICT, WITHOUT ROWID;

-- No foreign key on chunks and symbols: SQLite would need an index over each of them to follow it, and the document
-- names their rows.
CREATE TABLE chunks (
    row               INTEGER PRIMARY KEY,
    document          INTEGER NOT NULL,
    kind              TEXT    NOT NULL,
    start_byte        INTEGER NOT NULL,
    end_byte          INTEGER NOT NULL,
    start_line        INTEGER NOT NULL,
    end_line          INTEGER NOT NULL,
    tokens            INTEGER NOT NULL,
    symbol            TEXT,
    signature         TEXT,
    doc_comment_start INTEGER,
    doc_comment_end   INTEGER
) STRICT;

CREATE TABLE symbols (
    row        INTEGER PRIMARY KEY,
    document   INTEGER NOT NULL,
    chunk      INTEGER NOT NULL, -- the chunk's place in the document
    kind       TEXT    NOT NULL,
    qualified  TEXT    NOT NULL,
    name       TEXT,             -- NULL when it is what stands behind the last `::` of the qualified name
    start_byte INTEGER NOT NULL,
    end_byte   INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL
) STRICT;

CREATE TABLE edges (
    document INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    kind     TEXT    NOT NULL,
    chunk    INTEGER NOT NULL, -- the chunk's place in the document
    target   TEXT    NOT NULL,
    PRIMARY KEY (document, kind, chunk, target)
) STRICT, WITHOUT ROWID;

-- The edges of kind `references`, some twenty a chunk, packed behind a checksum: mostly as places in
-- the text.
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
