//! Graphs with Apache AGE, vectors with pgvector.
//!
//! AGE does not lock what it merges: two sessions that merge one name at once make two
//! entities, or fail on the index that forbids it. So the name is locked first, by an
//! advisory lock.
//!
//! And AGE 1.5 loses a `SET` on a relation that `MERGE` has just created. So a relation is either
//! updated or created, by separate statements.

use super::Form;

pub(super) static FORM: Form = Form {
    words: "a graph of Apache AGE, vectors of pgvector",
    // AGE reads `cypher(…)` only in sessions that have loaded it.
    settings: &[("session_preload_libraries", "age"), ("search_path", "public,ag_catalog")],
    tables: &[
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
    ],
    lock_entity: "SELECT 0::bigint FROM jsonb_to_record($1) AS about (project text, name text),
        pg_advisory_xact_lock(hashtext(project), hashtext(name))",
    merge_entity: "SELECT version::bigint FROM cypher('knowledge', $$
            MERGE (e:Entity {project: $project, name: $name})
            SET e.description = $description, e.version = coalesce(e.version, 0) + 1
            RETURN e.version
        $$, $1) AS (version agtype)",
    version: "SELECT version::bigint FROM cypher('knowledge', $$
            MATCH (e:Entity {project: $project, name: $name}) RETURN e.version
        $$, $1) AS (version agtype)",
    add_weight: "SELECT weight::bigint FROM cypher('knowledge', $$
            MATCH (:Entity {project: $project, name: $source})
                -[r:RELATES {kind: $kind}]->(:Entity {project: $project, name: $target})
            SET r.weight = r.weight + 1
            RETURN r.weight
        $$, $1) AS (weight agtype)",
    create_relation: "SELECT weight::bigint FROM cypher('knowledge', $$
            MATCH (a:Entity {project: $project, name: $source}),
                (b:Entity {project: $project, name: $target})
            CREATE (a)-[r:RELATES {kind: $kind, weight: 1}]->(b)
            RETURN r.weight
        $$, $1) AS (weight agtype)",
    weight: "SELECT weight::bigint FROM cypher('knowledge', $$
            MATCH (:Entity {project: $project, name: $source})
                -[r:RELATES {kind: $kind}]->(:Entity {project: $project, name: $target})
            RETURN r.weight
        $$, $1) AS (weight agtype)",
    upsert_document: "
        WITH first AS (INSERT INTO written (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key)
        INSERT INTO document (project, id, content, embedding)
        SELECT $2, $3, $4, $5::float8[]::vector FROM first
        ON CONFLICT (project, id) DO UPDATE SET
            content = excluded.content,
            embedding = excluded.embedding,
            version = document.version + 1",
    nearest_documents: "
        SELECT id, content, embedding <=> $2::float8[]::vector AS distance
        FROM document
        WHERE project = $1
        ORDER BY distance
        LIMIT $3",
};
