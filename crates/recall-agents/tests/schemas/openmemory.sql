-- The tables of OpenMemory that are read, as SQLAlchemy creates them in SQLite.
CREATE TABLE users (id CHAR(32) NOT NULL PRIMARY KEY, user_id VARCHAR NOT NULL, name VARCHAR, created_at DATETIME);
CREATE TABLE apps (id CHAR(32) NOT NULL PRIMARY KEY, owner_id CHAR(32) NOT NULL, name VARCHAR NOT NULL, is_active BOOLEAN);
CREATE TABLE memories (
    id CHAR(32) NOT NULL PRIMARY KEY, user_id CHAR(32) NOT NULL, app_id CHAR(32) NOT NULL, content VARCHAR NOT NULL,
    vector VARCHAR, metadata JSON, state VARCHAR(8), created_at DATETIME, updated_at DATETIME, archived_at DATETIME,
    deleted_at DATETIME
);
CREATE TABLE categories (id CHAR(32) NOT NULL PRIMARY KEY, name VARCHAR NOT NULL UNIQUE, description VARCHAR);
CREATE TABLE memory_categories (memory_id CHAR(32) NOT NULL, category_id CHAR(32) NOT NULL, PRIMARY KEY (memory_id, category_id));
INSERT INTO apps VALUES ('app1', 'user1', 'cursor', 1);
INSERT INTO memories (id, user_id, app_id, content, state, created_at) VALUES
    ('0123456789abcdef0123456789abcdef', 'user1', 'app1', 'Prefers kangaroo-case for constants', 'active', '2025-06-01 10:00:00.000000'),
    ('ffffffffffffffffffffffffffffffff', 'user1', 'app1', 'Was forgotten', 'deleted', '2025-06-01 10:00:00.000000');
INSERT INTO categories VALUES ('cat1', 'preferences', NULL);
INSERT INTO memory_categories VALUES ('0123456789abcdef0123456789abcdef', 'cat1');
