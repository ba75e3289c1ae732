-- The tables of Basic Memory that are read.
CREATE TABLE project (id INTEGER PRIMARY KEY, external_id VARCHAR, name VARCHAR NOT NULL, permalink VARCHAR, path VARCHAR NOT NULL, is_active BOOLEAN);
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, external_id VARCHAR, title VARCHAR NOT NULL, note_type VARCHAR NOT NULL, entity_metadata JSON,
    content_type VARCHAR NOT NULL, project_id INTEGER NOT NULL REFERENCES project(id), permalink VARCHAR,
    file_path VARCHAR NOT NULL, checksum VARCHAR, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL
);
CREATE TABLE observation (
    id INTEGER PRIMARY KEY, project_id INTEGER, entity_id INTEGER NOT NULL REFERENCES entity(id), content TEXT NOT NULL,
    category VARCHAR NOT NULL DEFAULT 'note', context TEXT, tags JSON DEFAULT '[]'
);
CREATE TABLE relation (
    id INTEGER PRIMARY KEY, project_id INTEGER, from_id INTEGER NOT NULL REFERENCES entity(id), to_id INTEGER,
    to_name VARCHAR NOT NULL, relation_type VARCHAR NOT NULL, context TEXT
);
INSERT INTO project VALUES (1, 'e', 'main', 'main', '/home/ada/basic-memory', 1);
INSERT INTO entity VALUES
    (1, 'x1', 'Coffee for koalas', 'note', NULL, 'text/markdown', 1, 'food/coffee', 'food/coffee.md', NULL, '2025-04-01 09:00:00.000000', '2025-04-01 09:00:00.000000'),
    (2, 'x2', 'picture', 'file', NULL, 'image/png', 1, NULL, 'food/a.png', NULL, '2025-04-01 09:00:00.000000', '2025-04-01 09:00:00.000000');
INSERT INTO observation (entity_id, content, category, context) VALUES (1, 'Koalas sleep through espresso', 'fact', 'tested');
INSERT INTO relation (from_id, to_name, relation_type) VALUES (1, 'Eucalyptus', 'pairs_with');
