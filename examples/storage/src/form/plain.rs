//! Plain tables, for any PostgreSQL.

use super::Form;

pub(super) static FORM: Form = Form {
    words: "plain tables, distances over float8[] (no Apache AGE and pgvector)",
    settings: &[],
    tables: &[
        "CREATE TABLE IF NOT EXISTS entity (
            project text,
            name text CHECK (name <> ''),
            description text NOT NULL,
            version bigint NOT NULL DEFAULT 1,
            PRIMARY KEY (project, name)
        )",
        "CREATE TABLE IF NOT EXISTS relation (
            project text,
            source text,
            target text,
            kind text,
            weight bigint NOT NULL DEFAULT 1,
            PRIMARY KEY (project, source, target, kind),
            FOREIGN KEY (project, source) REFERENCES entity,
            FOREIGN KEY (project, target) REFERENCES entity
        )",
        "CREATE TABLE IF NOT EXISTS document (
            project text,
            id text CHECK (id <> ''),
            content text NOT NULL,
            embedding float8[] NOT NULL CHECK (cardinality(embedding) = 3),
            version bigint NOT NULL DEFAULT 1,
            PRIMARY KEY (project, id)
        )",
    ],
    lock_entity: "SELECT version
        FROM entity JOIN jsonb_to_record($1) AS about (project text, name text)
            USING (project, name)
        FOR UPDATE OF entity",
    merge_entity: "
        INSERT INTO entity (project, name, description)
        SELECT * FROM jsonb_to_record($1) AS about (project text, name text, description text)
        ON CONFLICT (project, name) DO UPDATE SET
            description = excluded.description,
            version = entity.version + 1
        RETURNING version",
    version: "SELECT version
        FROM entity JOIN jsonb_to_record($1) AS about (project text, name text)
            USING (project, name)",
    add_weight: "
        UPDATE relation SET weight = weight + 1
        FROM jsonb_to_record($1) AS about (project text, source text, target text, kind text)
        WHERE (relation.project, relation.source, relation.target, relation.kind)
            = (about.project, about.source, about.target, about.kind)
        RETURNING weight",
    create_relation: "
        INSERT INTO relation (project, source, target, kind)
        SELECT *
        FROM jsonb_to_record($1) AS about (project text, source text, target text, kind text)
        RETURNING weight",
    weight: "SELECT weight
        FROM relation
        JOIN jsonb_to_record($1) AS about (project text, source text, target text, kind text)
            USING (project, source, target, kind)",
    upsert_document: "
        WITH first AS (INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key)
        INSERT INTO document (project, id, content, embedding)
        SELECT $2, $3, $4, $5 FROM first
        ON CONFLICT (project, id) DO UPDATE SET
            content = excluded.content,
            embedding = excluded.embedding,
            version = document.version + 1",
    nearest_documents: "
        SELECT id, content, distance
        FROM document, LATERAL (
            SELECT 1 - sum(a * b) / sqrt(sum(a * a) * sum(b * b)) AS distance
            FROM unnest(embedding, $2::float8[]) AS pair (a, b)
        ) AS cosine
        WHERE project = $1
        ORDER BY distance
        LIMIT $3",
};
