//! The graph storage: entities and relations.

use serde_json::{Value, json};
use steadfast::retry;

use crate::form::ask;
use crate::{Database, Entity, Relation, StorageError, Written, ledger};

/// The knowledge graph of all projects.
#[derive(Clone, Debug)]
pub struct GraphStorage(pub(crate) Database);

impl GraphStorage {
    /// Creates or replaces an entity, and increments its version.
    ///
    /// The attribute spells out the whole policy. `policy = "sql"` is equivalent: it has the same
    /// numbers, and the rules are the default ones.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(
        max_retries = 3,
        base_delay = "500ms",
        jitter = "100ms",
        max_duration = "30s",
        retry_on = ["08", "40", "53", "57", "58", "connection", "timeout", "pool"],
        abort_on = ["22", "23", "28", "42", "argument"],
        idempotent = false, // only its key makes it safe to retry
        name = "graph.upsert_entity",
        instrument = self.0.recorder(),
        attempt = attempt
    )]
    pub async fn upsert_entity(
        &self,
        project: &str,
        entity: &Entity,
    ) -> Result<Written, StorageError> {
        // Before anything can fail: without the key an unknown outcome is final.
        let key = attempt.key();
        let Database { pool, form, .. } = &self.0;
        let mut transaction = pool.begin().await?;
        if ledger::claim(&mut transaction, key).await? == Written::Before {
            return Ok(Written::Before);
        }
        let Entity { name, description } = entity;
        let entity = json!({"project": project, "name": name, "description": description});
        ask(&mut transaction, form.lock_entity, &entity).await?;
        ask(&mut transaction, form.merge_entity, &entity).await?;
        transaction.commit().await?;
        self.0.wrote().await;
        Ok(Written::Now)
    }

    /// Creates a relation of two entities, or adds one to its weight.
    ///
    /// # Errors
    /// There is no such entity, or the error of the last attempt.
    #[retry(
        policy = "sql",
        idempotent = false,
        name = "graph.upsert_relation",
        instrument = self.0.recorder(),
        attempt = attempt
    )]
    pub async fn upsert_relation(
        &self,
        project: &str,
        relation: &Relation,
    ) -> Result<Written, StorageError> {
        // Before anything can fail: without the key an unknown outcome is final.
        let key = attempt.key();
        let Database { pool, form, .. } = &self.0;
        let mut transaction = pool.begin().await?;
        if ledger::claim(&mut transaction, key).await? == Written::Before {
            return Ok(Written::Before);
        }
        // In this order, whatever the names: two opposite relations at once are a deadlock, which
        // the server detects and the retry resolves. Sorting the locks would avoid this one, but not
        // deadlocks with other programs.
        for name in [&relation.source, &relation.target] {
            let end = entity(project, name);
            ask(&mut transaction, form.lock_entity, &end).await?;
            if ask(&mut transaction, form.version, &end).await?.is_none() {
                let (project, name) = (project.to_owned(), name.clone());
                return Err(StorageError::NoSuchEntity { project, name });
            }
        }
        let relation = about(project, relation);
        if ask(&mut transaction, form.add_weight, &relation).await?.is_none() {
            ask(&mut transaction, form.create_relation, &relation).await?;
        }
        transaction.commit().await?;
        self.0.wrote().await;
        Ok(Written::Now)
    }

    /// How often an entity has been written, if it exists.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(policy = "sql", name = "graph.version", instrument = self.0.recorder())]
    pub async fn version(&self, project: &str, name: &str) -> Result<Option<i64>, StorageError> {
        let mut connection = self.0.pool.acquire().await?;
        Ok(ask(&mut connection, self.0.form.version, &entity(project, name)).await?)
    }

    /// How often a relation has been written, if it exists.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(policy = "sql", name = "graph.weight", instrument = self.0.recorder())]
    pub async fn weight(
        &self,
        project: &str,
        relation: &Relation,
    ) -> Result<Option<i64>, StorageError> {
        let mut connection = self.0.pool.acquire().await?;
        Ok(ask(&mut connection, self.0.form.weight, &about(project, relation)).await?)
    }
}

fn entity(project: &str, name: &str) -> Value {
    json!({"project": project, "name": name})
}

fn about(project: &str, Relation { source, target, kind }: &Relation) -> Value {
    json!({"project": project, "source": source, "target": target, "kind": kind})
}
