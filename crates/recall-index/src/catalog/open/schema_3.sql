-- The descent of the catalog: catalogs that were forked from one another have the same value, and the same content in rows
-- that existed before the fork.
ALTER TABLE state ADD COLUMN lineage BLOB;
UPDATE state SET lineage = randomblob(16);
-- Whether the contents of documents are partly in `base.db` next to the catalog.
ALTER TABLE state ADD COLUMN has_base INTEGER NOT NULL DEFAULT 0;
