-- The history of mem0.
CREATE TABLE history (
    id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME,
    updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT
);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME);
INSERT INTO history VALUES
    ('h1', 'm1', NULL, 'Likes possums', 'ADD', '2025-05-01T10:00:00+00:00', NULL, 0, NULL, NULL),
    ('h2', 'm1', 'Likes possums', 'Likes ringtail possums', 'UPDATE', '2025-05-01T10:00:00+00:00', '2025-05-02T10:00:00+00:00', 0, NULL, NULL),
    ('h3', 'm2', NULL, 'Lives in Hobart', 'ADD', '2025-05-01T10:00:00+00:00', NULL, 0, NULL, NULL),
    ('h4', 'm2', 'Lives in Hobart', NULL, 'DELETE', '2025-05-01T10:00:00+00:00', NULL, 1, NULL, NULL);
