//! The vector storage: documents by embedding.

use steadfast::{Key, retry};

use crate::{Database, Document, Neighbour, StorageError, Written, ledger};

/// The documents of all projects, searchable by similarity.
#[derive(Clone, Debug)]
pub struct VectorStorage(pub(crate) Database);

impl VectorStorage {
    /// The length of an embedding.
    pub const DIMENSIONS: usize = 3;

    /// Creates or replaces a document, and increments its version.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(
        policy = "sql",
        idempotent = false,
        name = "vector.upsert",
        instrument = self.0.recorder(),
        attempt = attempt
    )]
    pub async fn upsert(
        &self,
        project: &str,
        document: &Document,
    ) -> Result<Written, StorageError> {
        self.upsert_once(attempt.key(), project, document).await
    }

    /// One attempt of [`upsert`](Self::upsert).
    ///
    /// # Errors
    /// The error of the attempt.
    pub async fn upsert_once(
        &self,
        key: &Key,
        project: &str,
        document: &Document,
    ) -> Result<Written, StorageError> {
        let upserted = sqlx::query(self.0.form.upsert_document)
            .bind(key.to_string())
            .bind(project)
            .bind(&document.id)
            .bind(&document.content)
            .bind(&document.embedding)
            .execute(&self.0.pool)
            .await?;
        self.0.wrote().await;
        Ok(ledger::of(upserted.rows_affected()))
    }

    /// The documents nearest to an embedding, nearest first.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(policy = "sql", name = "vector.similar", instrument = self.0.recorder())]
    pub async fn similar(
        &self,
        project: &str,
        embedding: &[f64],
        limit: i64,
    ) -> Result<Vec<Neighbour>, StorageError> {
        let query = sqlx::query_as(self.0.form.nearest_documents);
        let rows = query.bind(project).bind(embedding).bind(limit).fetch_all(&self.0.pool).await?;
        let neighbour = |(id, content, distance)| Neighbour { id, content, distance };
        Ok(rows.into_iter().map(neighbour).collect())
    }

    /// How often a document has been written, if it exists.
    ///
    /// # Errors
    /// The error of the last attempt.
    #[retry(policy = "sql", name = "vector.version", instrument = self.0.recorder())]
    pub async fn version(&self, project: &str, id: &str) -> Result<Option<i64>, StorageError> {
        let query = "SELECT version FROM document WHERE project = $1 AND id = $2";
        Ok(sqlx::query_scalar(query).bind(project).bind(id).fetch_optional(&self.0.pool).await?)
    }
}
