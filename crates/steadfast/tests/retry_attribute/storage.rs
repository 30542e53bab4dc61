//! Storage methods of S0: transient errors are retried, permanent ones are not.

use std::sync::Mutex;
use std::time::Duration;

use steadfast::{Fault, GaveUp, retry};
use tokio::time::Instant;

use crate::millis;

#[derive(Debug, thiserror::Error, Fault)]
enum StorageError {
    #[error("SQLSTATE {0}")]
    Sql(#[fault(sqlstate)] String),
    #[error("{0}")]
    #[fault(kind = "argument")]
    IllegalArgument(&'static str),
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
}

#[derive(Clone, Debug, PartialEq)]
struct Entity {
    name: String,
}

trait GraphStorage {
    async fn upsert_entity(&self, project: &str, entity: Entity) -> Result<(), StorageError>;

    fn find_entity(&self, project: &str, name: &str) -> Result<Entity, StorageError>;
}

/// A graph whose database answers with the given states before it works.
#[derive(Default)]
struct AgeGraphStorage {
    states: Mutex<Vec<String>>,
    queries: Mutex<Vec<Instant>>,
    rows: Mutex<Vec<(String, Entity)>>,
}

impl AgeGraphStorage {
    fn answering(state: &str, times: usize) -> Self {
        Self { states: Mutex::new(vec![state.to_owned(); times]), ..Self::default() }
    }

    fn query(&self) -> Result<(), StorageError> {
        self.queries.lock().unwrap().push(Instant::now());
        match self.states.lock().unwrap().pop() {
            Some(state) => Err(StorageError::Sql(state)),
            None => Ok(()),
        }
    }

    fn attempts(&self) -> usize {
        self.queries.lock().unwrap().len()
    }

    fn delays(&self) -> Vec<Duration> {
        self.queries.lock().unwrap().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

impl GraphStorage for AgeGraphStorage {
    #[retry(
        max_retries = 3,
        base_delay = "500ms",
        jitter = "100ms",
        max_duration = "30s",
        retry_on = ["08", "40", "53", "57", "58"],
        abort_on = ["23", "argument"],
        name = "storage.graph.upsert"
    )]
    async fn upsert_entity(&self, project: &str, entity: Entity) -> Result<(), StorageError> {
        if project.is_empty() {
            self.query().ok();
            return Err(StorageError::IllegalArgument("a project needs a name"));
        }
        self.query()?;
        self.rows.lock().unwrap().push((project.to_owned(), entity));
        Ok(())
    }

    #[retry(policy = "sql", base_delay = 0, jitter = "none")]
    fn find_entity(&self, project: &str, name: &str) -> Result<Entity, StorageError> {
        self.query()?;
        let rows = self.rows.lock().unwrap();
        let found = rows.iter().find(|(of, entity)| of == project && entity.name == name);
        let (_, entity) = found.ok_or(StorageError::IllegalArgument("no such entity"))?;
        Ok(entity.clone())
    }
}

fn entity() -> Entity {
    Entity { name: "Bahia".to_owned() }
}

/// S0, J3: connection, rollback, resources, operator and system errors pass.
#[tokio::test(start_paused = true)]
async fn transient_states_are_retried() {
    for state in ["08006", "40P01", "40001", "53300", "57P01", "58030"] {
        let storage = AgeGraphStorage::answering(state, 3);
        storage.upsert_entity("p", entity()).await.unwrap();
        assert_eq!(storage.attempts(), 4, "{state}");
        assert_eq!(storage.rows.lock().unwrap().len(), 1);
        assert_eq!(storage.find_entity("p", "Bahia").unwrap(), entity());
    }
}

/// S0, P6: 500, 1000 and 2000 ms, each up to 100 ms longer.
#[tokio::test(start_paused = true)]
async fn delays_double() {
    let storage = AgeGraphStorage::answering("40P01", 9);
    let error = storage.upsert_entity("p", entity()).await.unwrap_err();
    assert!(matches!(error, StorageError::Sql(state) if state == "40P01"));
    let delays = storage.delays();
    assert_eq!(delays.len(), 3);
    for (delay, base) in delays.into_iter().zip([500, 1_000, 2_000]) {
        // Tokio's timer counts whole milliseconds.
        assert!((millis(base)..=millis(base + 101)).contains(&delay), "{delay:?} for {base}");
    }
}

/// S0, J3: permanent errors are not retried.
#[tokio::test(start_paused = true)]
async fn permanent_states_are_not_retried() {
    for state in ["23505", "22001", "28P01", "42601"] {
        let storage = AgeGraphStorage::answering(state, 3);
        let error = storage.upsert_entity("p", entity()).await.unwrap_err();
        assert!(matches!(error, StorageError::Sql(same) if same == state));
        assert_eq!(storage.attempts(), 1, "{state}");
    }
    let storage = AgeGraphStorage::default();
    assert!(storage.upsert_entity("", entity()).await.is_err());
    assert_eq!(storage.attempts(), 1);
}

/// The same rules for a plain method under the preset.
#[test]
fn blocking_method_with_preset() {
    let storage = AgeGraphStorage::answering("53300", 9);
    assert!(storage.find_entity("p", "Bahia").is_err());
    assert_eq!(storage.attempts(), 4);
    let storage = AgeGraphStorage::default();
    assert!(storage.find_entity("p", "Bahia").is_err());
    assert_eq!(storage.attempts(), 1);
}
