//! The graph: entities and what relates them.

use sqlx::PgPool;
use steadfast::{Key, retry};

use crate::{Entity, Form, Relation, StorageError, Written, ledger};

/// The knowledge graph of all projects.
#[derive(Clone, Debug)]
pub struct GraphStorage {
    pub(crate) pool: PgPool,
    pub(crate) form: Form,
}

impl GraphStorage {
    /// Writes an entity, over the one of this name if there is one, and counts its version up.
    ///
    /// Everything is said here. The policy `sql` says the same by its name: these are its
    /// numbers, and the rules are those that hold unless others are written.
    ///
    /// # Errors
    /// What the last attempt failed with.
    #[retry(
        max_retries = 3,
        base_delay = "500ms",
        jitter = "100ms",
        max_duration = "30s",
        retry_on = ["08", "40", "53", "57", "58", "connection", "timeout", "pool"],
        abort_on = ["22", "23", "28", "42", "argument"],
        idempotent = false, // by itself: the key is what makes it so
        name = "graph.upsert_entity",
        attempt = attempt
    )]
    pub async fn upsert_entity(
        &self,
        project: &str,
        entity: &Entity,
    ) -> Result<Written, StorageError> {
        self.upsert_entity_once(attempt.key(), project, entity).await
    }

    /// Writes what relates two entities, and adds one to its weight.
    ///
    /// # Errors
    /// There is no such entity, or what the last attempt failed with.
    #[retry(
        policy = "sql",
        idempotent = false,
        name = "graph.upsert_relation",
        attempt = attempt
    )]
    pub async fn upsert_relation(
        &self,
        project: &str,
        relation: &Relation,
    ) -> Result<Written, StorageError> {
        self.upsert_relation_once(attempt.key(), project, relation).await
    }

    async fn upsert_entity_once(
        &self,
        key: &Key,
        project: &str,
        entity: &Entity,
    ) -> Result<Written, StorageError> {
        let mut transaction = self.pool.begin().await?;
        if ledger::claim(&mut transaction, key).await? == Written::Before {
            return Ok(Written::Before);
        }
        self.form.merge_entity(&mut transaction, project, entity).await?;
        transaction.commit().await?;
        Ok(Written::Now)
    }

    async fn upsert_relation_once(
        &self,
        key: &Key,
        project: &str,
        relation: &Relation,
    ) -> Result<Written, StorageError> {
        let mut transaction = self.pool.begin().await?;
        if ledger::claim(&mut transaction, key).await? == Written::Before {
            return Ok(Written::Before);
        }
        // In this order whatever the names: two opposite relations at once are a deadlock,
        // which the server ends and the retry mends. Sorting them would avoid this one, and
        // none of those with programs that are not ours.
        for name in [&relation.source, &relation.target] {
            if !self.form.lock_entity(&mut transaction, project, name).await? {
                let (project, name) = (project.to_owned(), name.clone());
                return Err(StorageError::NoSuchEntity { project, name });
            }
        }
        self.form.merge_relation(&mut transaction, project, relation).await?;
        transaction.commit().await?;
        Ok(Written::Now)
    }

    /// How often an entity has been written, if it is there.
    ///
    /// # Errors
    /// What the last attempt failed with.
    #[retry(policy = "sql", name = "graph.version")]
    pub async fn version(&self, project: &str, name: &str) -> Result<Option<i64>, StorageError> {
        let mut connection = self.pool.acquire().await?;
        Ok(self.form.version(&mut connection, project, name).await?)
    }

    /// How often a relation has been written, if it is there.
    ///
    /// # Errors
    /// What the last attempt failed with.
    #[retry(policy = "sql", name = "graph.weight")]
    pub async fn weight(
        &self,
        project: &str,
        relation: &Relation,
    ) -> Result<Option<i64>, StorageError> {
        let mut connection = self.pool.acquire().await?;
        Ok(self.form.weight(&mut connection, project, relation).await?)
    }
}
