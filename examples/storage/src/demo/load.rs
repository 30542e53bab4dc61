//! The load: concurrent writers that record every acknowledged write.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use example_storage::{
    Database, Document, Entity, GraphStorage, Relation, StorageError, VectorStorage, Written,
};
use tokio::task::JoinSet;

use crate::Problem;

pub(crate) const TASKS: usize = 8;
/// Few, so that opposite relations cause deadlocks.
const ENTITIES: usize = 8;
const PROJECT: &str = "atlas";

/// Timeout for the writers to succeed again after a fault.
pub(crate) const RECOVERY_TIMEOUT: Duration = Duration::from_secs(60);

/// The running writers.
pub(crate) struct Load {
    tasks: JoinSet<Done>,
    passed: Arc<[AtomicU64; TASKS]>,
    enough: Arc<AtomicBool>,
}

/// The result of the writers.
#[derive(Default)]
pub(crate) struct Done {
    /// How often each thing was written, as acknowledged by the storage.
    writes: HashMap<Thing, i64>,
    /// Writes that an earlier attempt with a lost response had done.
    pub(crate) found_done: u64,
    pub(crate) gave_up: Vec<StorageError>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Thing {
    Entity(usize),
    Relation(usize, usize),
    Document(usize),
}

/// The differences between the tables and the acknowledged writes.
#[derive(Default)]
pub(crate) struct Books {
    pub(crate) writes: i64,
    pub(crate) lost: i64,
    pub(crate) twice: i64,
}

impl Load {
    pub(crate) async fn start(database: &Database) -> Result<Self, Problem> {
        let (graph, vectors) = (database.graph(), database.vectors());
        let mut first = Done::default();
        for number in 0..ENTITIES {
            let written = graph.upsert_entity(PROJECT, &entity(number)).await;
            first.keep(Thing::Entity(number), written);
        }
        let passed = Arc::<[AtomicU64; TASKS]>::default();
        let enough = Arc::<AtomicBool>::default();
        let mut tasks = JoinSet::new();
        for task in 0..TASKS {
            let (graph, vectors) = (graph.clone(), vectors.clone());
            let (passed, enough) = (Arc::clone(&passed), Arc::clone(&enough));
            let mut done = std::mem::take(&mut first);
            tasks.spawn(async move {
                while !enough.load(Ordering::Relaxed) {
                    done.write(&graph, &vectors).await;
                    if let Some(passed) = passed.get(task) {
                        passed.fetch_add(1, Ordering::Relaxed);
                    }
                }
                done
            });
        }
        Ok(Self { tasks, passed, enough })
    }

    /// Waits until every writer has succeeded a few times.
    pub(crate) async fn until_all_got_through(&self) -> Result<(), Problem> {
        let passed = || self.passed.iter().map(|passed| passed.load(Ordering::Relaxed));
        let before: Vec<_> = passed().collect();
        let got_through = async {
            while passed().zip(&before).any(|(now, before)| now < before + 3) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let in_time = tokio::time::timeout(RECOVERY_TIMEOUT, got_through).await;
        Ok(in_time.map_err(|_| "a writer has not succeeded for a minute")?)
    }

    pub(crate) async fn stop(mut self) -> Result<Done, Problem> {
        self.enough.store(true, Ordering::Relaxed);
        let mut all = Done::default();
        while let Some(done) = self.tasks.join_next().await {
            all.add(done?);
        }
        Ok(all)
    }
}

impl Done {
    /// Writes two entities, a relation and a document.
    async fn write(&mut self, graph: &GraphStorage, vectors: &VectorStorage) {
        let one = fastrand::usize(..ENTITIES);
        let other = (one + fastrand::usize(1..ENTITIES)) % ENTITIES;
        let written = graph.upsert_entity(PROJECT, &entity(one)).await;
        self.keep(Thing::Entity(one), written);
        let written = graph.upsert_relation(PROJECT, &relation(one, other)).await;
        self.keep(Thing::Relation(one, other), written);
        let document = document(one);
        self.keep(Thing::Document(one), vectors.upsert(PROJECT, &document).await);
        if let Err(error) = vectors.similar(PROJECT, &document.embedding, 5).await {
            self.gave_up.push(error);
        }
    }

    fn keep(&mut self, thing: Thing, written: Result<Written, StorageError>) {
        match written {
            Ok(written) => {
                *self.writes.entry(thing).or_default() += 1;
                self.found_done += u64::from(written == Written::Before);
            }
            Err(error) => self.gave_up.push(error),
        }
    }

    fn add(&mut self, other: Self) {
        for (thing, times) in other.writes {
            *self.writes.entry(thing).or_default() += times;
        }
        self.found_done += other.found_done;
        self.gave_up.extend(other.gave_up);
    }

    /// Compares every version and every weight with the acknowledged writes.
    pub(crate) async fn check(&self, database: &Database) -> Result<Books, Problem> {
        let (graph, vectors) = (database.graph(), database.vectors());
        let mut books = Books::default();
        for (thing, promised) in &self.writes {
            let found = match *thing {
                Thing::Entity(number) => graph.version(PROJECT, &name(number)).await?,
                Thing::Relation(one, other) => graph.weight(PROJECT, &relation(one, other)).await?,
                Thing::Document(number) => vectors.version(PROJECT, &name(number)).await?,
            };
            let found = found.unwrap_or(0);
            books.writes += promised;
            books.lost += (promised - found).max(0);
            books.twice += (found - promised).max(0);
        }
        Ok(books)
    }
}

impl Books {
    pub(crate) fn are_right(&self) -> bool {
        self.lost == 0 && self.twice == 0
    }
}

fn name(number: usize) -> String {
    format!("entity {number}")
}

fn entity(number: usize) -> Entity {
    Entity { name: name(number), description: "met in a text".to_owned() }
}

fn relation(one: usize, other: usize) -> Relation {
    Relation { source: name(one), target: name(other), kind: "is near".to_owned() }
}

fn document(number: usize) -> Document {
    let embedding = (0..VectorStorage::DIMENSIONS).map(|_| fastrand::f64() + 0.1).collect();
    Document { id: name(number), content: "a text".to_owned(), embedding }
}
