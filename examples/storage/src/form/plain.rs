//! Plain tables: any PostgreSQL will do.

use sqlx::PgConnection;

use crate::{Entity, Relation};

pub(super) const TABLES: &[&str] = &[
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
];

pub(super) const UPSERT_DOCUMENT: &str = "
    WITH first AS (INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key)
    INSERT INTO document (project, id, content, embedding)
    SELECT $2, $3, $4, $5 FROM first
    ON CONFLICT (project, id) DO UPDATE SET
        content = excluded.content,
        embedding = excluded.embedding,
        version = document.version + 1";

pub(super) const NEAREST_DOCUMENTS: &str = "
    SELECT id, content, distance
    FROM document, LATERAL (
        SELECT 1 - sum(a * b) / sqrt(sum(a * a) * sum(b * b)) AS distance
        FROM unnest(embedding, $2::float8[]) AS pair (a, b)
    ) AS cosine
    WHERE project = $1
    ORDER BY distance
    LIMIT $3";

pub(super) async fn merge_entity(
    connection: &mut PgConnection,
    project: &str,
    entity: &Entity,
) -> sqlx::Result<()> {
    let upsert = "
        INSERT INTO entity (project, name, description) VALUES ($1, $2, $3)
        ON CONFLICT (project, name) DO UPDATE SET
            description = excluded.description,
            version = entity.version + 1";
    let upsert = sqlx::query(upsert).bind(project).bind(&entity.name).bind(&entity.description);
    upsert.execute(connection).await?;
    Ok(())
}

pub(super) async fn lock_entity(
    connection: &mut PgConnection,
    project: &str,
    name: &str,
) -> sqlx::Result<bool> {
    let lock = "SELECT FROM entity WHERE project = $1 AND name = $2 FOR UPDATE";
    let found = sqlx::query(lock).bind(project).bind(name).fetch_optional(connection).await?;
    Ok(found.is_some())
}

pub(super) async fn merge_relation(
    connection: &mut PgConnection,
    project: &str,
    Relation { source, target, kind }: &Relation,
) -> sqlx::Result<()> {
    let upsert = "
        INSERT INTO relation (project, source, target, kind) VALUES ($1, $2, $3, $4)
        ON CONFLICT (project, source, target, kind) DO UPDATE SET weight = relation.weight + 1";
    let upsert = sqlx::query(upsert).bind(project).bind(source).bind(target).bind(kind);
    upsert.execute(connection).await?;
    Ok(())
}

pub(super) async fn version(
    connection: &mut PgConnection,
    project: &str,
    name: &str,
) -> sqlx::Result<Option<i64>> {
    let query = "SELECT version FROM entity WHERE project = $1 AND name = $2";
    sqlx::query_scalar(query).bind(project).bind(name).fetch_optional(connection).await
}

pub(super) async fn weight(
    connection: &mut PgConnection,
    project: &str,
    Relation { source, target, kind }: &Relation,
) -> sqlx::Result<Option<i64>> {
    let query = "SELECT weight FROM relation
        WHERE project = $1 AND source = $2 AND target = $3 AND kind = $4";
    let query = sqlx::query_scalar(query).bind(project).bind(source).bind(target).bind(kind);
    query.fetch_optional(connection).await
}
