-- The tables of RECALL v0, with its full-text index and triggers.
CREATE TABLE items (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL, tags TEXT, scope TEXT NOT NULL,
    project_path TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, usefulness_score REAL DEFAULT 0.0,
    use_count INTEGER DEFAULT 0
);
CREATE VIRTUAL TABLE items_fts USING fts5(title, content, tags, content=items, content_rowid=rowid);
CREATE TRIGGER items_ai AFTER INSERT ON items BEGIN
    INSERT INTO items_fts(rowid, title, content, tags) VALUES (NEW.rowid, NEW.title, NEW.content, NEW.tags);
END;
CREATE TABLE feedback (
    id INTEGER PRIMARY KEY AUTOINCREMENT, item_id TEXT NOT NULL REFERENCES items(id), session_id TEXT NOT NULL,
    useful BOOLEAN NOT NULL, context TEXT, created_at TEXT NOT NULL
);
CREATE TABLE flight_recorder (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, timestamp TEXT NOT NULL, type TEXT NOT NULL,
    content TEXT NOT NULL, rationale TEXT, metadata TEXT
);
INSERT INTO items VALUES
    ('P-1a2b3c4d', 'pattern', 'Retry with jitter', 'Wombat retries in src/retry.rs wait with jitter.', '["network"]', 'project', NULL, '2024-03-01T10:00:00Z', '2024-03-01T10:00:00Z', 0.5, 3),
    ('D-00000001', 'decision', 'Tabs everywhere', 'Quokka projects are indented with tabs.', '[]', 'global', NULL, '2024-03-02T10:00:00Z', '2024-03-02T10:00:00Z', 0, 0),
    ('F-00000002', 'failure', 'Elsewhere', 'Belongs to a different place.', NULL, 'project', '/somewhere/else', '2024-03-02T10:00:00Z', '2024-03-02T10:00:00Z', 0, 0);
INSERT INTO feedback (item_id, session_id, useful, context, created_at) VALUES
    ('P-1a2b3c4d', 's-1', 1, 'fixed the flake', '2024-03-05T10:00:00Z');
INSERT INTO flight_recorder (session_id, timestamp, type, content, rationale) VALUES
    ('v0-session', '2024-03-01T09:00:00Z', 'decision', 'jitter it is', 'numbats thundered'),
    ('v0-session', '2024-03-01T09:30:00Z', 'task_complete', 'retries are bounded', NULL);
