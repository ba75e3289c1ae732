-- The tables of Codex, the knowledge engine of EDI, at version 1 of its schema.
PRAGMA journal_mode = WAL;
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (1);
CREATE TABLE items (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tags TEXT,
    scope TEXT NOT NULL DEFAULT 'project', source TEXT, metadata TEXT, created_at DATETIME NOT NULL,
    updated_at DATETIME NOT NULL
);
CREATE VIRTUAL TABLE items_fts USING fts5(title, content, tags, content=items, content_rowid=rowid, tokenize='porter unicode61');
CREATE TABLE feedback (
    id TEXT PRIMARY KEY, item_id TEXT NOT NULL, session_id TEXT NOT NULL, useful INTEGER NOT NULL, context TEXT,
    timestamp DATETIME NOT NULL, FOREIGN KEY (item_id) REFERENCES items(id)
);
CREATE TABLE flight_recorder (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL, content TEXT NOT NULL, rationale TEXT, metadata TEXT,
    timestamp DATETIME NOT NULL
);
CREATE TABLE vectors (item_id TEXT PRIMARY KEY, embedding BLOB NOT NULL, dimensions INTEGER NOT NULL);
INSERT INTO items VALUES
    ('D-aaaa0001', 'decision', 'Numbat storage', 'The numbat catalogue is stored in SQLite.', '["storage"]', 'project', 'manual',
     '{"edi_session_id":"edi-7","edi_agent_mode":"architect","edi_git_branch":"main","edi_git_sha":"abc1234","edi_project_name":"shop"}',
     '2025-01-10 08:00:00.5 +0000 UTC', '2025-01-10 08:00:00'),
    ('F-aaaa0002', 'failure', 'Leaked', 'The deploy used password = "hunter2-Tr0ub4dor&3xyz" by accident.', NULL, 'project', NULL, NULL, '2025-01-11 08:00:00', '2025-01-11 08:00:00'),
    ('R-aaaa0003', 'runbook', 'Restart the bilby', 'Run the bilby script twice.', 'not json', 'project', NULL, '{broken', '2025-01-12 08:00:00', '2025-01-12 08:00:00'),
    ('X-aaaa0004', 'code', 'chunk', 'fn chunk() {}', NULL, 'project', 'src/a.rs', NULL, '2025-01-12 08:00:00', '2025-01-12 08:00:00'),
    ('O-aaaa0005', 'doc', 'chunk', '# Doc', NULL, 'project', 'docs/a.md', NULL, '2025-01-12 08:00:00', '2025-01-12 08:00:00'),
    ('C-aaaa0006', 'context', 'Empty', '  ', NULL, 'project', NULL, NULL, '2025-01-12 08:00:00', '2025-01-12 08:00:00');
INSERT INTO feedback VALUES ('f-1', 'D-aaaa0001', 'edi-8', 0, NULL, '2025-02-01 08:00:00');
INSERT INTO flight_recorder VALUES
    ('r-1', 'edi-7', 'decision', 'numbats go to SQLite', 'one file', NULL, '2025-01-10 08:00:00'),
    ('r-2', 'edi-7', 'retrieval_query', 'storage of numbats', NULL, '{"hits":3}', '2025-01-10 08:01:00');
