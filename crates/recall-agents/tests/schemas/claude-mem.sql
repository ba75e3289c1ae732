-- The tables of claude-mem that are read, as of its 35th migration.
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO schema_versions (version, applied_at) VALUES (35, '2026-05-01T00:00:00Z');
CREATE TABLE sdk_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT UNIQUE NOT NULL, memory_session_id TEXT UNIQUE,
    project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
    started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'failed')), custom_title TEXT
);
CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, prompt_number INTEGER, content_hash TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
    FOREIGN KEY (memory_session_id) REFERENCES sdk_sessions(memory_session_id) ON DELETE CASCADE,
    UNIQUE (memory_session_id, content_hash)
);
CREATE TABLE session_summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
    created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
);
CREATE TABLE user_prompts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
    prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL
);
CREATE TABLE directives (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL DEFAULT 'global', project TEXT, content TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'active', source TEXT NOT NULL DEFAULT 'manual', created_at TEXT NOT NULL,
    created_at_epoch INTEGER NOT NULL, updated_at_epoch INTEGER NOT NULL
);
INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, user_prompt, started_at, started_at_epoch, status)
    VALUES ('claude-1', 'mem-1', 'shop', 'make echidnas fast', '2026-02-01', 1769904000000, 'completed');
INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, content_hash, created_at, created_at_epoch) VALUES
    ('mem-1', 'shop', 'bugfix', 'Echidna cache was cold', 'The first lookup paid', '["echidnas are cached by name"]',
     'The echidna lookup missed because the cache was never warmed.', '["caching"]', '["src/other.rs"]', '["src/retry.rs"]', 'h1', '2026-02-01', 1769904600000),
    ('mem-1', 'elsewhere', 'feature', 'Platypus', NULL, NULL, 'Belongs to a different place.', NULL, NULL, NULL, 'h2', '2026-02-01', 1769904700000);
INSERT INTO session_summaries (memory_session_id, project, request, learned, created_at, created_at_epoch) VALUES
    ('mem-1', 'shop', 'make echidnas fast', 'warm the cache first', '2026-02-01', 1769905000000),
    ('mem-1', 'shop', 'measure it', 'twice as fast', '2026-02-01', 1769906000000);
INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) VALUES
    ('claude-1', 1, 'make echidnas fast', '2026-02-01', 1769904000000);
INSERT INTO directives (scope, project, content, status, created_at, created_at_epoch, updated_at_epoch) VALUES
    ('project', 'shop', 'Always name marsupials in full.', 'active', '2026-02-01', 1769904000000, 1769904000000),
    ('project', 'shop', 'Withdrawn.', 'archived', '2026-02-01', 1769904000000, 1769904000000);
