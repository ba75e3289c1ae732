-- Which version of the parser all documents were parsed by; 0 where nobody said.
ALTER TABLE state ADD COLUMN parsing INTEGER NOT NULL DEFAULT 0;
