//! A graph of Apache AGE, and vectors of pgvector.
//!
//! AGE does not lock what it merges: two sessions that merge one name at once make two
//! entities, or fail on the index that forbids it. So the name is locked first, by a lock of
//! the database's for whatever a program wants to call its own.

use serde_json::{Value, json};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, PgConnection, Postgres, Type};

use crate::{Entity, Relation};

/// AGE reads `cypher(…)` only in sessions that have loaded it.
pub(super) const SETTINGS: &[(&str, &str)] =
    &[("session_preload_libraries", "age"), ("search_path", "public,ag_catalog")];

pub(super) const TABLES: &[&str] = &[
    "CREATE EXTENSION IF NOT EXISTS age",
    "CREATE EXTENSION IF NOT EXISTS vector",
    "SELECT create_graph('knowledge')
        WHERE NOT EXISTS (SELECT FROM ag_graph WHERE name = 'knowledge')",
    "SELECT create_vlabel('knowledge', 'Entity')
        WHERE NOT EXISTS (SELECT FROM ag_label WHERE name = 'Entity')",
    "SELECT create_elabel('knowledge', 'RELATES')
        WHERE NOT EXISTS (SELECT FROM ag_label WHERE name = 'RELATES')",
    r#"CREATE UNIQUE INDEX IF NOT EXISTS entity_name ON knowledge."Entity" (
        agtype_access_operator(properties, '"project"'::agtype),
        agtype_access_operator(properties, '"name"'::agtype)
    )"#,
    "CREATE TABLE IF NOT EXISTS document (
        project text,
        id text CHECK (id <> ''),
        content text NOT NULL,
        embedding vector(3) NOT NULL,
        version bigint NOT NULL DEFAULT 1,
        PRIMARY KEY (project, id)
    )",
    "CREATE INDEX IF NOT EXISTS document_embedding ON document
        USING hnsw (embedding vector_cosine_ops)",
];

pub(super) const UPSERT_DOCUMENT: &str = "
    WITH first AS (INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key)
    INSERT INTO document (project, id, content, embedding)
    SELECT $2, $3, $4, $5::float8[]::vector FROM first
    ON CONFLICT (project, id) DO UPDATE SET
        content = excluded.content,
        embedding = excluded.embedding,
        version = document.version + 1";

pub(super) const NEAREST_DOCUMENTS: &str = "
    SELECT id, content, embedding <=> $2::float8[]::vector AS distance
    FROM document
    WHERE project = $1
    ORDER BY distance
    LIMIT $3";

pub(super) async fn merge_entity(
    connection: &mut PgConnection,
    project: &str,
    Entity { name, description }: &Entity,
) -> sqlx::Result<()> {
    lock_name(connection, project, name).await?;
    let merge = "SELECT version::bigint FROM cypher('knowledge', $$
        MERGE (e:Entity {project: $project, name: $name})
        SET e.description = $description, e.version = coalesce(e.version, 0) + 1
        RETURN e.version
    $$, $1) AS (version agtype)";
    let about = json!({"project": project, "name": name, "description": description});
    ask(connection, merge, about).await?;
    Ok(())
}

pub(super) async fn lock_entity(
    connection: &mut PgConnection,
    project: &str,
    name: &str,
) -> sqlx::Result<bool> {
    lock_name(connection, project, name).await?;
    Ok(version(connection, project, name).await?.is_some())
}

/// One that `MERGE` has just made cannot be `SET` in the same breath: AGE 1.5 forgets that.
pub(super) async fn merge_relation(
    connection: &mut PgConnection,
    project: &str,
    relation: &Relation,
) -> sqlx::Result<()> {
    let add = "SELECT weight::bigint FROM cypher('knowledge', $$
        MATCH (:Entity {project: $project, name: $source})
            -[r:RELATES {kind: $kind}]->(:Entity {project: $project, name: $target})
        SET r.weight = r.weight + 1
        RETURN r.weight
    $$, $1) AS (weight agtype)";
    if ask(connection, add, about(project, relation)).await?.is_some() {
        return Ok(());
    }
    let create = "SELECT weight::bigint FROM cypher('knowledge', $$
        MATCH (a:Entity {project: $project, name: $source}),
            (b:Entity {project: $project, name: $target})
        CREATE (a)-[r:RELATES {kind: $kind, weight: 1}]->(b)
        RETURN r.weight
    $$, $1) AS (weight agtype)";
    ask(connection, create, about(project, relation)).await?;
    Ok(())
}

pub(super) async fn version(
    connection: &mut PgConnection,
    project: &str,
    name: &str,
) -> sqlx::Result<Option<i64>> {
    let find = "SELECT version::bigint FROM cypher('knowledge', $$
        MATCH (e:Entity {project: $project, name: $name}) RETURN e.version
    $$, $1) AS (version agtype)";
    ask(connection, find, json!({"project": project, "name": name})).await
}

pub(super) async fn weight(
    connection: &mut PgConnection,
    project: &str,
    relation: &Relation,
) -> sqlx::Result<Option<i64>> {
    let find = "SELECT weight::bigint FROM cypher('knowledge', $$
        MATCH (:Entity {project: $project, name: $source})
            -[r:RELATES {kind: $kind}]->(:Entity {project: $project, name: $target})
        RETURN r.weight
    $$, $1) AS (weight agtype)";
    ask(connection, find, about(project, relation)).await
}

async fn lock_name(connection: &mut PgConnection, project: &str, name: &str) -> sqlx::Result<()> {
    let lock = "SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))";
    sqlx::query(lock).bind(project).bind(name).execute(connection).await?;
    Ok(())
}

fn about(project: &str, Relation { source, target, kind }: &Relation) -> Value {
    json!({"project": project, "source": source, "target": target, "kind": kind})
}

/// The number that a question about the graph is answered with.
async fn ask(
    connection: &mut PgConnection,
    question: &'static str,
    parameters: Value,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(question).bind(Agtype(parameters)).fetch_optional(connection).await
}

/// The parameters of a question, in AGE's own type.
struct Agtype(Value);

impl Type<Postgres> for Agtype {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("ag_catalog.agtype")
    }
}

impl Encode<'_, Postgres> for Agtype {
    /// On the wire it is a version, 1, and JSON.
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        buffer.push(1);
        buffer.extend(self.0.to_string().as_bytes());
        Ok(IsNull::No)
    }
}
